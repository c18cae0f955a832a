package policy

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// obliging gives each tool the obligation, or the rule over its results, that it is
// named for.
const obliging = `package mcp.gateway

import data.mcp.lib

visible := lib.entitled

allow if lib.permitted

named(name) if lib.tool("desk", name)

obligations contains lib.mask_arguments(["/secret"]) if named("mask_arguments")

obligations contains lib.mask_arguments(["/to"]) if named("mask_needed")

obligations contains lib.mask_result(["/email"]) if named("mask_result")

obligations contains lib.mask_result(["/n"]) if named("mask_contract")

obligations contains lib.result_bytes(200) if named("result_bytes")

obligations contains lib.approval_by("leads") if named("approval")

obligations contains lib.idempotency_key if named("idempotency_key")

obligations contains lib.label("sensitive") if named("label")

obligations contains lib.step_up(["more"]) if named("step_up")

obligations contains lib.timeout(1) if named("timeout")

obligations contains lib.fresh_authentication(60) if named("fresh_authentication")

withhold contains "too_secret" if {
	named("withhold")
	input.result.structured_untrusted.email
}

redact contains "/email" if named("redact")
`

// obliged are the tools of the desk, each with a text of 300 bytes, an address and a number.
func obliged() *stage.Peer {
	up := stage.NewPeer()
	long := strings.Repeat("x", 300)
	for _, name := range []string{"mask_arguments", "mask_needed", "mask_result", "mask_contract", "result_bytes", "approval", "idempotency_key", "label",
		"step_up", "timeout", "fresh_authentication", "withhold", "redact", "release"} {
		answer := stage.Result(`{"resultType":"complete","content":[{"type":"text","text":"{\"email\":\"a@b.example\",\"n\":1}"}],"structuredContent":{"email":"a@b.example","n":1}}`)
		switch name {
		case "result_bytes":
			answer = stage.Result(`{"resultType":"complete","content":[{"type":"text","text":"` + long + `"}],"structuredContent":{"email":"","n":1}}`)
		case "timeout":
			answer = func(_ http.ResponseWriter, r *http.Request, _ stage.Message) { <-r.Context().Done() }
		}
		up.Add(`{"name":"`+name+`","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"secret":{"type":"string"},"key":{"type":"string"}},"required":["to"]},`+
			`"outputSchema":{"type":"object","properties":{"email":{"type":"string"},"n":{"type":"integer"}},"required":["n"]}}`, answer)
	}
	return up
}

// TestObligations holds, of each obligation and of each rule over results, that a whole
// gateway keeps it: what is told, what was sent, and what is on record.
func TestObligations(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(obliging), 0o600); err != nil {
		t.Fatal(err)
	}
	up := obliged()
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", up)},
		Settings:  "policy: {dir: " + dir + ", timeout: 10s}\n",
		Review: func(id gateway.ItemID) string {
			switch id.Name {
			case "idempotency_key":
				return strings.Replace(stage.Write("use"), "side_effect: write", "side_effect: write, idempotent: key, idempotency: {argument: /key}", 1)
			case "withhold", "approval":
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	alice := s.Host("alice")
	const given = `{"to":"x","secret":"canary-of-an-argument"}`
	for _, c := range []struct {
		tool, arguments string
		code            gateway.Code
		reason          gateway.Reason
		sent            string // arguments; "" = nothing was sent
		says, never     string // of the answer
		recorded        string // among the obligations of the event
	}{
		{"mask_arguments", given, "", "", `{"to":"x"}`, "", "", "mask_arguments"},
		{"mask_needed", given, gateway.CodeForbidden, gateway.ReasonMaskedArguments, "", "", "", "mask_arguments"},
		{"mask_result", given, "", "", given, `"structuredContent":{"email":"[masked]","n":1}`, "a@b.example", "mask_result"},
		{"mask_contract", given, gateway.CodeWithheld, gateway.ReasonMaskedResult, given, "", "a@b.example", "mask_result"},
		{"result_bytes", given, gateway.CodeWithheld, gateway.ReasonResultOverBudget, given, "", "xxx", "result_bytes"},
		{"approval", given, gateway.CodeApprovalRequired, "", "", "", "", "approval"},
		{"idempotency_key", `{"to":"x"}`, gateway.CodeForbidden, gateway.ReasonKeyMissing, "", "", "", "idempotency_key"},
		{"idempotency_key", `{"to":"x","key":"k-0001"}`, "", "", `{"to":"x","key":"k-0001"}`, "", "", "idempotency_key"},
		{"label", given, "", "", given, "", "sensitive", "label.sensitive"},
		{"step_up", given, gateway.CodeForbidden, gateway.ReasonScopeMissing, "", "", "", "step_up"},
		{"timeout", given, gateway.CodeTimeout, "", given, "", "", "timeout"},
		{"fresh_authentication", given, gateway.CodeForbidden, gateway.ReasonAuthentication, "", "", "", "fresh_authentication"},
		{"withhold", given, gateway.CodeWithheld, "too_secret", given, "", "a@b.example", ""},
		{"redact", given, "", "", given, `"structuredContent":{"email":"[masked]","n":1}`, "a@b.example", ""},
		{"release", given, "", "", given, "a@b.example", "", ""},
	} {
		t.Run(c.tool, func(t *testing.T) {
			up.Calls()
			before := len(s.Journal(t))
			r := alice.Call(t, "desk__"+c.tool, c.arguments)
			if r.Code() != string(c.code) || c.reason != "" && !strings.Contains(string(r.Body), string(c.reason)) {
				t.Errorf("answered %s, want %q for %q", r.Body, c.code, c.reason)
			}
			if !strings.Contains(string(r.Body), c.says) || c.never != "" && strings.Contains(string(r.Body), c.never) {
				t.Errorf("answered %s", r.Body)
			}
			var sent []string
			for _, call := range up.Calls() {
				sent = append(sent, call.Arguments())
			}
			if want := slices.DeleteFunc([]string{c.sent}, func(s string) bool { return s == "" }); !slices.Equal(slices.Compact(sent), want) {
				t.Errorf("sent %q, want %q", sent, want)
			}
			if record := string(s.Journal(t)[before:]); c.recorded != "" && !strings.Contains(record, `"`+c.recorded+`"`) || c.reason != "" && !strings.Contains(record, `"`+string(c.reason)+`"`) ||
				strings.Contains(record, "canary") {
				t.Errorf("on record: %s", record)
			}
		})
	}
}
