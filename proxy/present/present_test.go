package present_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/present"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
)

func TestItems(t *testing.T) {
	redactor := redact.New(redact.Options{})
	items := present.Items(func(string) *redact.Redactor { return redactor })
	for name, tc := range map[string]struct {
		kind      gateway.Kind
		raw, want string
	}{
		"prompt": {gateway.KindPrompt,
			`{"name":"p","title":"T\u200b","description":"d","icons":[],"arguments":[{"name":"a","required":true,"x":1,"description":"D\u001b[1m"},{"name":"b","required":null}],"_meta":{"a":1}}`,
			`{"name":"up__p","title":"T","description":"d","arguments":[{"name":"a","description":"D","required":true},{"name":"b"}]}`},
		"prompt without arguments": {gateway.KindPrompt, `{"name":"p","arguments":null}`, `{"name":"up__p"}`},
		"resource": {gateway.KindResource,
			`{"uri":"A://x","name":"n","title":null,"mimeType":"text/x","size":9007199254740993,"annotations":{"priority":1}}`,
			`{"uri":"up__p","name":"n","mimeType":"text/x","size":9007199254740993}`},
		"template": {gateway.KindTemplate, `{"uriTemplate":"a://{x}","name":"n"}`, `{"uriTemplate":"up__p","name":"n"}`},
		"tool": {gateway.KindTool, `{"name":"t","execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`,
			`{"name":"up__p","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}`},
	} {
		fragment, _, err := items(&registry.Definition{ID: gateway.ItemID{Kind: tc.kind}, Raw: []byte(tc.raw)}, &gateway.ExposureFacts{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := string(fragment("up__p")); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
	outgoing := &gateway.ExposureFacts{Deprecated: &gateway.Deprecation{Sunset: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), Use: "open_2"}}
	for raw, want := range map[string]string{
		`{"name":"t","description":"Opens.","inputSchema":{"type":"object"}}`: `"description":"Opens.\n\nDeprecated: not served from 2027-03-01 on. Use open_2 instead.","inputSchema"`,
		`{"name":"t","inputSchema":{"type":"object"}}`:                        `"description":"Deprecated: not served from 2027-03-01 on. Use open_2 instead.","inputSchema"`,
	} {
		fragment, _, err := items(&registry.Definition{Raw: []byte(raw)}, outgoing)
		if err != nil || !strings.Contains(string(fragment("t")), want) {
			t.Errorf("deprecated: %s, %v", fragment("t"), err)
		}
	}
	for kind, raws := range map[gateway.Kind][]string{
		gateway.KindPrompt:   {`{"name":"p","arguments":{}}`, `{"name":"p","arguments":[1]}`, `{"name":"p","arguments":[{"name":1}]}`},
		gateway.KindResource: {`{"uri":"a://x"}`, `{"uri":"a://x","name":1}`},
	} {
		for _, raw := range raws {
			_, _, err := items(&registry.Definition{ID: gateway.ItemID{Kind: kind}, Raw: []byte(raw)}, &gateway.ExposureFacts{})
			var e *gateway.Error
			if !errors.As(err, &e) || e.Reasons[0] != gateway.ReasonMalformed {
				t.Errorf("%s: %v", raw, err)
			}
		}
	}
}

func TestResults(t *testing.T) {
	hop := present.NewHop("1")
	const ours = `"io.modelcontextprotocol/serverInfo":{"name":"mcp-gateway","version":"1"}`
	const up = `{"resultType":"complete","contents":[],"x":1.10,"ttlMs":9007199254740993,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{},"k":null}}`
	for name, tc := range map[string]struct{ got, want string }{
		"modern":             {string(hop.Contents([]byte(up), true, true)), `{"resultType":"complete","_meta":{` + ours + `,"k":null},"ttlMs":9007199254740993,"cacheScope":"private","contents":[],"x":1.10}`},
		"not kept":           {string(hop.Contents([]byte(up), true, false)), `{"resultType":"complete","_meta":{` + ours + `,"k":null},"ttlMs":0,"cacheScope":"private","contents":[],"x":1.10}`},
		"legacy":             {string(hop.Contents([]byte(up), false, true)), `{"_meta":{"k":null},"contents":[],"x":1.10}`},
		"bad ttl":            {string(hop.Contents([]byte(`{"ttlMs":-1}`), true, true)), `{"resultType":"complete","_meta":{` + ours + `},"ttlMs":0,"cacheScope":"private"}`},
		"no ttl":             {string(hop.Contents([]byte(`{}`), true, true)), `{"resultType":"complete","_meta":{` + ours + `},"ttlMs":0,"cacheScope":"private"}`},
		"asking":             {string(hop.Asking([]byte(`{"resultType":"input_required","inputRequests":{"a":{}},"requestState":"theirs","ttlMs":1}`), "ours")), `{"resultType":"input_required","_meta":{` + ours + `},"requestState":"ours","inputRequests":{"a":{}}}`},
		"asking, and more":   {string(hop.Asking([]byte(`{"content":[{"type":"text","text":"x"}],"structuredContent":{},"isError":false,"inputRequests":{"a":{}},"x":1,"_meta":{"k":1}}`), "ours")), `{"resultType":"input_required","_meta":{` + ours + `,"k":1},"requestState":"ours","inputRequests":{"a":{}},"x":1}`},
		"asking nothing":     {string(hop.Asking([]byte(`{"requestState":"theirs"}`), "ours")), `{"resultType":"input_required","_meta":{` + ours + `},"requestState":"ours"}`},
		"complete, and asks": {string(hop.Result([]byte(`{"content":[],"inputRequests":{"a":{}},"requestState":"theirs","task":{}}`), true)), `{"resultType":"complete","_meta":{` + ours + `},"content":[]}`},
		"contents, and asks": {string(hop.Contents([]byte(`{"contents":[],"input\u0052equests":{"a":{}}}`), false, true)), `{"contents":[]}`},
		"progress":           {string(present.Params([]byte(`{"progressToken":7,"progress":1.50,"_meta":{},"m":null}`), []byte(`"t"`))), `{"progressToken":"t","progress":1.50,"m":null}`},
		"log":                {string(present.Params([]byte(`{"level":"info","data":1}`), nil)), `{"level":"info","data":1}`},
		"empty":              {string(present.Params([]byte(`{}`), nil)), `{}`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, tc.got, tc.want)
		}
	}
}

func TestForeign(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[]}`:                                "",
		`{"_meta":{"v/x":1.0},"content":[]}`:            "",
		`{"_meta":7}`:                                   "",
		`{"_meta":{"mcp-gatewayx/e":1,"mcp-gate":2}}`:   "",
		`{"a":1e2,"_meta":{"mcp-gateway/error":{}}}`:    `{"a":1e2,"_meta":{}}`,
		`{"_meta":{"mcp-gateway\u002ferror":{}},"b":1}`: `{"_meta":{},"b":1}`,
		`{"content":[{"type":"text","text":"mcp-gateway","_meta":{"v/x":1}}],"structuredContent":{"_meta":{"mcp-gateway/x":1}}}`: "",
		`{"content":[{"text":"\u0041","_meta":[]},7,[{}]],"_meta":{}}`:                                                           "",
		`{"content":[{"type":"text","_meta":{"mcp-gateway/source":{"upstream":"bank"},"b":1.0}},{"_meta":{"mcp-gateway/x":1}}]}`: `{"content":[{"type":"text","_meta":{"b":1.0}},{"_meta":{}}]}`,
		`{"content":[{"type":"resource","resource":{"uri":"u","_meta":{"mcp\u002dgateway\/x":1}}}],"x":[1, 2]}`:                  `{"content":[{"type":"resource","resource":{"uri":"u","_meta":{}}}],"x":[1, 2]}`,
		`{"messages":[{"role":"user","content":{"type":"text","_meta":{"mcp-gateway/x":1}}}]}`:                                   `{"messages":[{"role":"user","content":{"type":"text","_meta":{}}}]}`,
		`{"contents":[{"uri":"u","_meta":{"a":1,"mcp-gateway/x":1}}],"_meta":{"mcp-gateway/y":1}}`:                               `{"contents":[{"uri":"u","_meta":{"a":1}}],"_meta":{}}`,
		`{"content":[[{"_meta":{"mcp-gateway/x":1}}]]}`:                                                                          `{"content":[[{"_meta":{}}]]}`,
		`{"_meta":{"a":1.10,"mcp-gateway/source":{"upstream":"bank"},"\u0062":2},"c":"\u0041"}`:                                  `{"_meta":{"a":1.10,"b":2},"c":"\u0041"}`,
	} {
		got := string(present.Foreign([]byte(result)))
		if want == "" {
			want = result
		}
		if got != want {
			t.Errorf("%s\n%s, want\n%s", result, got, want)
		}
	}
}
