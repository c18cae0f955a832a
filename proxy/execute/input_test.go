package execute

import (
	"errors"
	"slices"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/execute/input"
	"mcp-gateway/proxy/execute/output"
	"mcp-gateway/registry"
	"mcp-gateway/schema"
)

// What is not declared may be read with; it is not written with.
func TestUndeclaredArguments(t *testing.T) {
	listed := registry.Listing{Tools: [][]byte{[]byte(`{"name":"tool","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}}`)}}
	for _, tc := range []struct {
		facts gateway.ExposureFacts
		args  string
		want  []gateway.Violation
	}{
		{read, `{"a":1}`, nil},
		{read, `{"a":1,"b":2}`, nil},
		{write, `{"a":1}`, nil},
		{write, `{"a":1,"b":2}`, []gateway.Violation{{Pointer: "/b", Keyword: schema.Undeclared}}},
		{worst, `{"a":1,"b/c":2}`, []gateway.Violation{{Pointer: "/b~1c", Keyword: schema.Undeclared}}},
		{write, `{"a":"x","b":2}`, []gateway.Violation{{Pointer: "/a", Keyword: "type"}}},
		{read, `{}`, []gateway.Violation{{Pointer: "/a", Keyword: "required"}}},
	} {
		d := newDesk(t, listed, tc.facts)
		var e *gateway.Error
		err := input.Tool(d.tool(t, `,"arguments":`+tc.args))
		if errors.As(err, &e); tc.want == nil && err != nil || tc.want != nil && (e == nil || e.Code != gateway.CodeInvalidArguments || !slices.Equal(e.Violations, tc.want)) {
			t.Errorf("%s of %q: %+v, want %v", tc.args, tc.facts.SideEffect, e, tc.want)
		}
	}
	d := newDesk(t, listed, read)
	if got, _ := code(input.Tool(d.tool(t, ""))); got != gateway.CodeInvalidArguments {
		t.Errorf("no arguments are an empty object, which lacks one: %q", got)
	}
}

// Headers that mirror arguments are demanded of modern hosts and believed of none.
func TestMirroredHeaders(t *testing.T) {
	listed := registry.Listing{Tools: [][]byte{[]byte(`{"name":"tool","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}}`)}}
	d := newDesk(t, listed, read)
	for _, tc := range []struct {
		name   string
		era    audit.Era
		header map[string][]string
		ok     bool
	}{
		{"modern, equal", audit.Modern, map[string][]string{"Mcp-Param-R": {"eu"}}, true},
		{"modern, missing", audit.Modern, map[string][]string{}, false},
		{"modern, lying", audit.Modern, map[string][]string{"Mcp-Param-R": {"us"}}, false},
		{"legacy, missing", audit.Legacy, map[string][]string{}, true},
		{"legacy, equal", audit.Legacy, map[string][]string{"Mcp-Param-R": {"eu"}}, true},
		{"legacy, lying", audit.Legacy, map[string][]string{"Mcp-Param-R": {"us"}}, false},
		{"stdio, where there are none", audit.Modern, nil, true},
	} {
		c := d.tool(t, `,"arguments":{"r":"eu"}`)
		c.Era, c.Header = tc.era, tc.header
		if got, _ := code(input.Tool(c)); (got == "") != tc.ok || !tc.ok && got != gateway.CodeHeaderMismatch {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

func TestNamesAndArguments(t *testing.T) {
	d := newDesk(t, oneTool(), read)
	for params, want := range map[string]struct {
		code    gateway.Code
		missing gateway.Reason
	}{
		`"name":"up__tool"`:                         {},
		`"name":"up__tool","arguments":{}`:          {},
		`"name":"tool"`:                             {missing: gateway.ReasonToolAbsent},
		`"name":"up__TOOL"`:                         {missing: gateway.ReasonToolAbsent},
		`"name":""`:                                 {missing: gateway.ReasonToolAbsent},
		`"name":7`:                                  {code: gateway.CodeInvalidParams},
		`"Name":"up__tool"`:                         {code: gateway.CodeInvalidParams},
		`"name":"up__tool","arguments":null`:        {code: gateway.CodeInvalidParams},
		`"name":"up__tool","arguments":[]`:          {code: gateway.CodeInvalidParams},
		`"name":"up__tool","arguments":"{\"a\":1}"`: {code: gateway.CodeInvalidParams},
	} {
		c, err := d.calling(t, protocol.MethodToolsCall, params, func(c *call.Call) error { return resolveName(c, gateway.KindTool) })
		if got, _ := code(err); got != want.code || c.Missing != want.missing {
			t.Errorf("%s: %q %q, want %+v", params, got, c.Missing, want)
		}
	}
}

// What is completed so far may name each argument once, and holds texts only.
func TestGivenArguments(t *testing.T) {
	for params, want := range map[string]string{
		``:                                       `{"n":"v"}`,
		`"context":{}`:                           `{"n":"v"}`,
		`"context":{"arguments":{"a":"\u0041"}}`: `{"a":"\u0041","n":"v"}`,
		`"context":{"arguments":{"n":"w"}}`:      "",
		`"context":{"arguments":{"a":1}}`:        "",
		`"context":{"arguments":[]}`:             "",
	} {
		got, err := given([]byte("{"+params+"}"), []byte(`{"name":"n","value":"v"}`), "n")
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v, want %s", params, got, err, want)
		}
	}
}

// Contents are of what was read, of what lies below it, or of what the reviewed
// template stands for.
func TestWhoseContents(t *testing.T) {
	d := newDesk(t, registry.Listing{Templates: [][]byte{[]byte(`{"uriTemplate":"x://page/{n}","name":"page"}`)}}, read)
	for claimed, want := range map[string]bool{
		"x://page/1": true, "X://page/1": true, "x://page/1/part": true, "x://page/%31": true, "x://page/2": true,
		"x://page/1/../../etc": false, "x://other": false, "file:///etc/passwd": false, "": false, "x://page": false, "x://page/2/part": false,
	} {
		c, err := d.calling(t, protocol.MethodResourcesRead, `"uri":"x://page/1"`, resolveURI)
		if err != nil {
			t.Fatal(err)
		}
		c.Item, c.Missing = c.Catalog.ReachURI("", c.Name, func(int) bool { return true })
		if c.Missing != "" {
			t.Fatal(c.Missing)
		}
		c.Incoming.Result = []byte(`{"contents":[{"uri":"` + claimed + `","text":""}]}`)
		got, reason := code(output.Contents(c))
		if (got == "") != want || !want && (got != gateway.CodeContractViolation || reason != gateway.ReasonForeignURI) {
			t.Errorf("%q: %q %q", claimed, got, reason)
		}
	}
}

// A result is held to its kind, its shape and its schema, and a refusal to none.
func TestResults(t *testing.T) {
	listed := registry.Listing{Tools: [][]byte{[]byte(`{"name":"tool","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["n"]}}`)}}
	d := newDesk(t, listed, write)
	m := &method{output: output.Tool, asks: true}
	for result, want := range map[string]struct {
		reason   gateway.Reason // "" = it passes
		outcome  gateway.Outcome
		business bool
	}{
		`{"structuredContent":{"n":1}}`:                                         {"", gateway.OutcomeCommitted, false},
		`{"resultType":"complete","structuredContent":{"n":1}}`:                 {"", gateway.OutcomeCommitted, false},
		`{"isError":false,"structuredContent":{"n":1}}`:                         {"", gateway.OutcomeCommitted, false},
		`{"isError":true}`:                                                      {"", gateway.OutcomeFailed, true},
		`{"isError":true,"structuredContent":{}}`:                               {"", gateway.OutcomeFailed, true},
		`{"resultType":"task"}`:                                                 {gateway.ReasonResultType, gateway.OutcomeCommitted, false},
		`{"resultType":"task","isError":true}`:                                  {gateway.ReasonResultType, gateway.OutcomeCommitted, false},
		`{"content":{}}`:                                                        {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[]}`:                                                        {gateway.ReasonOutputMissing, gateway.OutcomeCommitted, false},
		`{"structuredContent":{}}`:                                              {gateway.ReasonOutputSchema, gateway.OutcomeCommitted, false},
		`{"structuredContent":null}`:                                            {gateway.ReasonOutputSchema, gateway.OutcomeCommitted, false},
		`{"isError":null,"structuredContent":{"n":1}}`:                          {"", gateway.OutcomeCommitted, false},
		`{"isError":1,"structuredContent":{"n":1}}`:                             {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[null],"structuredContent":{"n":1}}`:                        {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":["text"],"structuredContent":{"n":1}}`:                      {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[{"text":"x"}],"structuredContent":{"n":1}}`:                {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[{"type":"text"},{"type":7}],"structuredContent":{"n":1}}`:  {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[[{"type":"text"}]],"structuredContent":{"n":1}}`:           {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"content":[{"type":"new"}],"structuredContent":{"n":1}}`:              {"", gateway.OutcomeCommitted, false},
		`{"isError":"true","structuredContent":{}}`:                             {gateway.ReasonResultShape, gateway.OutcomeCommitted, false},
		`{"_meta":{"mcp-gateway/error":1,"v/x":2},"structuredContent":{"n":1}}`: {"", gateway.OutcomeCommitted, false},
	} {
		c := d.tool(t, "")
		c.Incoming = protocol.Incoming{Sent: true, Result: []byte(result)}
		err := d.checkOutput(m, c)
		_, reason := code(err)
		if reason != want.reason || (err == nil) != (want.reason == "") || c.Outcome != want.outcome || c.Business != want.business {
			t.Errorf("%s: %v %q %t, want %+v", result, err, c.Outcome, c.Business, want)
		}
		if meta, _ := protocol.Lookup(c.Incoming.Result, "/_meta"); meta != nil && string(meta) != `{"v/x":2}` {
			t.Errorf("the upstream speaks as the gateway: %s", meta)
		}
	}
}
