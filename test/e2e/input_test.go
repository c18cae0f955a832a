package e2e

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestBadInput sends what hosts must not send. Each gets its code and leaves
// its one event; nothing reaches the upstream; the next call is served.
func TestBadInput(t *testing.T) {
	t.Parallel()
	record := t.TempDir() + "/executed"
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"service:read", "incident:create:p3"}}},
		Upstreams:  []stage.Upstream{stage.Incident("incident", "--record", record)}, Review: stage.ReviewIncident,
		Settings: "limits: {body: 64KiB, depth: 50}\n",
	})
	alice := s.Host("alice")
	ticket := `{"title":"t","severity":"P3","evidence_ids":["e"],"request_id":"r"}`
	with := func(member string) string { return strings.Replace(ticket, "{", "{"+member+",", 1) }
	padded := func(n int) func(*stage.Request) {
		return func(r *stage.Request) { r.Saying(strings.Repeat(" ", n-len(r.Text())) + r.Text()) }
	}
	nested := func(depth int) string { return `{"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}` }
	for _, tt := range []struct {
		name    string
		request *stage.Request
		status  int
		code    gateway.Code
		reasons []gateway.Reason
		typ     audit.Type
	}{
		{"malformed JSON", alice.Calling(status, window).Saying(`{"jsonrpc":`), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNotJSON}, audit.RequestRefused},
		{"no JSON", alice.Calling(status, window).Saying("\x00\x01\x02"), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNotJSON}, audit.RequestRefused},
		{"number bomb by exponent", alice.Calling(status, `{"service":"payments","window_minutes":1e1000001}`), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNumber}, audit.RequestRefused},
		{"negative exponent", alice.Calling(status, `{"service":"payments","window_minutes":1e-1000001}`), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNumber}, audit.RequestRefused},
		{"long number", alice.Calling(status, `{"service":"payments","window_minutes":`+strings.Repeat("9", 129)+`}`), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNumber}, audit.RequestRefused},
		{"number bomb outside of arguments", changed(alice.Calling(status, window), edit(`"id":1`, `"id":1,"x":1e999999999`)), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonNumber}, audit.RequestRefused},
		{"too deep", alice.Calling(status, nested(60)), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonDepth}, audit.RequestRefused},
		{"far too deep", alice.Calling(status, nested(15_000)), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonDepth}, audit.RequestRefused},
		{"never closed", alice.Calling(status, window).Saying(strings.Repeat("[", 60_000)), 400, gateway.CodeMalformed, []gateway.Reason{gateway.ReasonMalformed, gateway.ReasonDepth}, audit.RequestRefused},
		{"oversize, not announced", unannounced(changed(alice.Calling(status, window), padded(64<<10+1))), 413, gateway.CodeTooLarge, nil, audit.RequestRefused},
		{"just not oversize", changed(alice.Calling(status, window), padded(64<<10)), 200, "", nil, audit.ToolDecided},
		{"unknown method", alice.Ask("tools/destroy", ""), 404, gateway.CodeUnknownMethod, nil, audit.RequestRefused},
		{"unknown version", changed(alice.Calling(status, window), version("1999-01-01")), 400, gateway.CodeUnsupportedVersion, nil, audit.ToolRefused},
		{"header missing", alice.Calling(status, window).With(protocol.HeaderName), 400, gateway.CodeHeaderMismatch, nil, audit.ToolRefused},
		{"unknown tool", alice.Calling("incident__format_disk", `{}`), 400, gateway.CodeUnknownTool, []gateway.Reason{gateway.ReasonToolAbsent}, audit.ToolRefused},
		{"hidden tool", alice.Calling("incident__get_incident_ticket", `{"request_id":"r"}`), 400, gateway.CodeUnknownTool, []gateway.Reason{gateway.ReasonNotVisible}, audit.ToolRefused},
		{"hostile name", alice.Calling("../../etc/passwd", `{}`), 400, gateway.CodeUnknownTool, []gateway.Reason{gateway.ReasonToolAbsent}, audit.ToolRefused},
		{"name of a wrong type", changed(alice.Calling(status, window), params(`"name":7,"arguments":{}`), header(protocol.HeaderName)), 400, gateway.CodeInvalidParams, nil, audit.ToolRefused},
		{"no name", changed(alice.Calling(status, window), params(`"arguments":{}`), header(protocol.HeaderName)), 400, gateway.CodeInvalidParams, nil, audit.ToolRefused},
		{"arguments of a wrong type", alice.Calling(status, `[1]`), 400, gateway.CodeInvalidParams, nil, audit.ToolRefused},
		{"argument missing", alice.Calling(status, `{"service":"payments"}`), 200, gateway.CodeInvalidArguments, nil, audit.ToolRefused},
		{"argument of a wrong type", alice.Calling(status, `{"service":"payments","window_minutes":"5"}`), 200, gateway.CodeInvalidArguments, nil, audit.ToolRefused},
		{"argument out of bounds", alice.Calling(status, `{"service":"payments","window_minutes":31}`), 200, gateway.CodeInvalidArguments, nil, audit.ToolRefused},
		{"argument that is a fraction", alice.Calling(status, `{"service":"payments","window_minutes":5.5}`), 200, gateway.CodeInvalidArguments, nil, audit.ToolRefused},
		{"argument that nobody declared", alice.Calling(create, with(`"receipt":{"approved":true}`)), 200, gateway.CodeInvalidArguments, nil, audit.ToolRefused},
		{"scope missing", alice.Calling(create, strings.Replace(ticket, "P3", "P1", 1)), 200, gateway.CodeForbidden, []gateway.Reason{"scope_missing"}, audit.ToolRefused},
		{"nobody consented", alice.Calling(create, ticket), 200, gateway.CodeApprovalRequired, []gateway.Reason{"irreversible_write", "outbound_write"}, audit.ToolRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := tt.request.Send(t)
			if reply.Status != tt.status || reply.Code() != string(tt.code) {
				t.Errorf("answer is %d %q, want %d %q: %.300s", reply.Status, reply.Code(), tt.status, tt.code, reply.Body)
			}
			sane(t, reply)
			row := s.OneEvent(t)
			if row.Type != tt.typ || row.Code != tt.code || !slices.Equal(row.Reasons, tt.reasons) {
				t.Errorf("on record: %s %q %q; want %s %q %q", row.Type, row.Code, row.Reasons, tt.typ, tt.code, tt.reasons)
			}
		})
	}
	reply := alice.Call(t, status, window)
	if reply.Get("/structuredContent/error_rate") != "0.182" {
		t.Errorf("after all that: %s", reply.Body)
	}
	executed, err := os.ReadFile(record)
	if want := strings.Repeat("get_service_status -\n", 2); err != nil || string(executed) != want {
		t.Errorf("the upstream executed %q (%v), want %q", executed, err, want)
	}
}

func changed(r *stage.Request, changes ...func(*stage.Request)) *stage.Request {
	all(changes...)(r)
	return r
}

// unannounced sends the body in chunks, without saying how long it is.
func unannounced(r *stage.Request) *stage.Request {
	r.Body = struct{ io.Reader }{r.Body}
	return r
}

// TestOversizeAnnounced is refused by the announced length alone, before the
// caller is even identified: it is counted.
func TestOversizeAnnounced(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{Settings: "limits: {body: 64KiB}\n"})
	r := s.Host("alice").Ask(protocol.MethodToolsList, "")
	reply := r.Saying(strings.Repeat(" ", 64<<10+1)).Send(t)
	if reply.Status != 413 || reply.Code() != string(gateway.CodeTooLarge) {
		t.Errorf("answer is %d %s", reply.Status, reply.Body)
	}
	stage.Await(t, "it is counted", func() bool { return s.Counted(t, gateway.CodeTooLarge) == 1 })
}

// TestViolations holds what a host learns of wrong arguments: sorted pointers
// and keywords, and no value.
func TestViolations(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"incident:create:p3"}}},
		Upstreams:  []stage.Upstream{stage.Incident("incident")}, Review: stage.ReviewIncident,
	})
	const canary = "hunter2-canary"
	reply := s.Host("alice").Call(t, create, fmt.Sprintf(`{"zz":%q,"severity":%q,"evidence_ids":[],"title":"","aa":1}`, canary, canary))
	want := `[{"pointer":"/aa","keyword":"additionalProperties"},{"pointer":"/evidence_ids","keyword":"minItems"},` +
		`{"pointer":"/request_id","keyword":"required"},{"pointer":"/severity","keyword":"enum"},` +
		`{"pointer":"/title","keyword":"minLength"},{"pointer":"/zz","keyword":"additionalProperties"}]`
	if got := reply.Get("/_meta/mcp-gateway~1error/violations"); got != want {
		t.Errorf("violations are\n%s, want\n%s", got, want)
	}
	if contains(reply.Body, canary) || len(s.Leaks(t, canary)) > 0 {
		t.Errorf("a value was told: %s", reply.Body)
	}
}
