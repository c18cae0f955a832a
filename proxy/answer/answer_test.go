package answer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/answer"
)

func TestEveryCodeHasItsRow(t *testing.T) {
	rows := answer.Rows()
	owners := map[int]gateway.Code{}
	for _, code := range gateway.Codes() {
		row, ok := rows[code]
		if !ok {
			t.Errorf("%s has no row", code)
			continue
		}
		if row.Sentence == "" || row.Retry == "" || row.Status == 0 {
			t.Errorf("%s: the row is not complete: %+v", code, row)
		}
		if other, taken := owners[row.RPC]; taken && row.RPC > 0 {
			t.Errorf("%s and %s both travel as %d", code, other, row.RPC)
		}
		owners[row.RPC] = code
		if !legal(row.RPC) {
			t.Errorf("%s travels as %d, which is not ours to send", code, row.RPC)
		}
	}
	if len(rows) != len(gateway.Codes()) {
		t.Errorf("%d rows for %d codes", len(rows), len(gateway.Codes()))
	}
}

// legal says whether revision 2026-07-28 lets us send a code: the standard
// ones, those that it defines, or our own outside of the reserved range.
func legal(code int) bool {
	defined := []int{-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022}
	return slices.Contains(defined, code) || code > 0
}

func TestToolErrorsAreForModels(t *testing.T) {
	table := answer.NewTable()
	for _, code := range gateway.Codes() {
		e := &gateway.Error{Code: code, Reasons: []gateway.Reason{"scope_missing"}, RetryAfter: 1500 * time.Millisecond,
			Violations: []gateway.Violation{{Pointer: "/a", Keyword: "required"}}, Err: fmt.Errorf("secret cause")}
		status, body := table.Render(answer.Refusal{Err: e, Call: audit.NewID(time.Now()), Request: []byte("7"), Tool: true})
		var got struct {
			ID     json.RawMessage
			Result *struct {
				IsError    bool
				ResultType string
				Content    []struct{ Text string }
			}
			Error *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%s: %v in %s", code, err, body)
		}
		row := answer.Rows()[code]
		switch {
		case string(got.ID) != "7":
			t.Errorf("%s: id is %s", code, got.ID)
		case row.Tool && (got.Result == nil || !got.Result.IsError || got.Result.ResultType != "complete" || status != 200):
			t.Errorf("%s: not a tool error: %d %s", code, status, body)
		case !row.Tool && (got.Error == nil || got.Error.Code != row.RPC && code != gateway.CodeMalformed || status != row.Status):
			t.Errorf("%s: not the JSON-RPC error of its row: %d %s", code, status, body)
		}
		if contains(body, "secret cause") {
			t.Errorf("%s: the cause left the gateway: %s", code, body)
		}
	}
}

func TestUnknownToolTellsNoReason(t *testing.T) {
	table := answer.NewTable()
	var first []byte
	id := audit.NewID(time.Now())
	for _, reason := range []gateway.Reason{gateway.ReasonToolAbsent, gateway.ReasonQuarantined, gateway.ReasonNotVisible} {
		_, body := table.Render(answer.Refusal{Err: gateway.Fail(gateway.CodeUnknownTool, reason), Call: id, Request: []byte("1"), Tool: true})
		if first == nil {
			first = body
		}
		if string(body) != string(first) {
			t.Errorf("%s is told apart: %s", reason, body)
		}
	}
}

func contains(body []byte, text string) bool {
	for i := 0; i+len(text) <= len(body); i++ {
		if string(body[i:i+len(text)]) == text {
			return true
		}
	}
	return false
}

func TestUnknownResourcesByEra(t *testing.T) {
	table := answer.NewTable()
	for _, tc := range []struct {
		legacy bool
		code   int
		status int
	}{{false, -32602, 400}, {true, -32002, 200}} {
		r := answer.Refusal{
			Err: gateway.Fail(gateway.CodeUnknownResource, gateway.ReasonQuarantined), Call: audit.NewID(time.Now()),
			Request: []byte("1"), URI: "test://gone", Legacy: tc.legacy,
		}
		status, body := table.Render(r)
		var got struct {
			Error struct {
				Code int
				Data struct {
					URI     string
					Reasons []string
				}
			}
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if status != tc.status || got.Error.Code != tc.code || got.Error.Data.URI != "test://gone" || got.Error.Data.Reasons != nil {
			t.Errorf("legacy %t: %d %s", tc.legacy, status, body)
		}
	}
}

// A model reads which scopes are wanted where the host's revision has no challenge for it.
func TestScopesInTheText(t *testing.T) {
	e := gateway.Fail(gateway.CodeInsufficientScope, gateway.ReasonScopeMissing)
	e.Scopes = []string{"desk:read", "desk:write"}
	status, body := answer.NewTable().Render(answer.Refusal{Err: e, Call: audit.NewID(time.Now()), Request: []byte("1"), Tool: true, Legacy: true})
	if status != 200 || !contains(body, `that this needs. It needs desk:read desk:write."`) || !contains(body, `"scopes":["desk:read","desk:write"]`) {
		t.Errorf("%d %s", status, body)
	}
}

// A host learns which capabilities are wanted; one of an earlier revision, which
// knows no such error, as the result of its tool.
func TestMissingCapability(t *testing.T) {
	table := answer.NewTable()
	for _, legacy := range []bool{false, true} {
		e := gateway.Fail(gateway.CodeMissingCapability)
		e.Needs = []byte(`{"elicitation":{"form":{}}}`)
		status, body := table.Render(answer.Refusal{Err: e, Call: audit.NewID(time.Now()), Request: []byte("1"), Tool: true, Legacy: legacy})
		want := `"error":{"code":-32021`
		if legacy {
			want = `"isError":true`
		}
		if !contains(body, want) || !contains(body, `"requiredCapabilities":{"elicitation":{"form":{}}}`) || legacy != (status == 200) {
			t.Errorf("legacy %t: %d %s", legacy, status, body)
		}
	}
}
