package answer_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/answer"
)

var update = flag.Bool("update", false, "write docs/errors.md")

const page = "../../docs/errors.md"

// TestPage holds docs/errors.md to the one table: for each code what a model sees,
// what a host's user sees, what the operator's log says, and what may be repeated.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# What is said of each refusal

Written from the one table of refusals (` + "`proxy/answer`" + `, ` + "`go test ./proxy/answer -update`" + `).
In answer to ` + "`tools/call`" + ` a code *for models* is a tool result with ` + "`isError`" + `, HTTP 200: the model
reads ` + "`code: sentence`" + `, with JSON Pointers and keywords of what was wrong where it is about
arguments, the ticket and where it is answered of a call that needs approval, the scopes that a
host of a revision before 2026-07-28 is to get, and a time to wait where there is one. Everywhere else, and for the other codes, a
program gets a JSON-RPC error with that sentence, which its user may be shown. Beside it stand
the code, the kind of retry, reasons from a closed vocabulary and the call's id, and nothing
else: no text, name, path, host or value of an upstream, no cause, no stage. The cause is in the
operator's log under that id: at *error* what is wrong with the gateway itself, at *debug* what
it refused.

What is absent, hidden and quarantined has one answer, one event and one amount of work; only
the event says which it was.

` + "`same_key`" + ` is advice for who gave a key. The call of a host that gave none says ` + "`no`" + ` there, and of an unknown outcome
that it is not to be repeated and which action to ask about.

| code | for models | HTTP | JSON-RPC | the sentence | retry | log |
|---|---|---|---|---|---|---|
`)
	for _, code := range gateway.Codes() {
		row := answer.Rows()[code]
		models, log := "no", "debug"
		if row.Tool {
			models = "yes"
		}
		if answer.Loud(code) {
			log = "error"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | `%s` | %s |\n", code, models, row.Status, row.RPC, row.Sentence, row.Retry, log)
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("%s differs from the table; run with -update (%v)", page, err)
	}
}

// TestNothingLeaks renders every code in every way, with a cause and a stage that
// speak of what must not leave, and with all else that an error can carry. What an
// answer says is its row and the members that it may show.
func TestNothingLeaks(t *testing.T) {
	const canary = "canary https://inner.example/x /srv/secret/file.go:12 panic"
	table, id := answer.NewTable(), audit.NewID(time.Unix(0, 0))
	for _, code := range gateway.Codes() {
		row := answer.Rows()[code]
		for way := range 8 {
			tool, legacy, request := way&1 != 0, way&2 != 0, []byte("1")
			if way&4 != 0 {
				request = nil
			}
			bare := gateway.Fail(code)
			full := gateway.Because(code, errors.New(canary))
			full.Stage = canary
			_, want := table.Render(answer.Refusal{Err: bare, Call: id, Request: request, Tool: tool, Legacy: legacy})
			_, got := table.Render(answer.Refusal{Err: full, Call: id, Request: request, Tool: tool, Legacy: legacy})
			if !bytes.Equal(got, want) {
				t.Errorf("%s: a cause changes the answer: %s", code, got)
			}
			if !bytes.Contains(got, []byte(row.Sentence)) || !bytes.Contains(got, []byte(`"retry":"`+string(row.Retry)+`"`)) {
				t.Errorf("%s: not what its row says: %s", code, got)
			}
		}
		full := &gateway.Error{Code: code, Reasons: []gateway.Reason{gateway.ReasonNotVisible}}
		_, got := table.Render(answer.Refusal{Err: full, Call: id, Request: []byte("1"), Tool: true})
		hidden := code == gateway.CodeUnknownTool || code == gateway.CodeUnknownPrompt || code == gateway.CodeUnknownResource || code == gateway.CodeInternal || code == gateway.CodeHandleInvalid
		if bytes.Contains(got, []byte("not_visible")) == hidden {
			t.Errorf("%s: reasons: %s", code, got)
		}
	}
}

// TestAdviceIsTrue: nobody is told to repeat with a key that they never had.
func TestAdviceIsTrue(t *testing.T) {
	id, action := audit.NewID(time.Unix(0, 0)), audit.NewID(time.Unix(1, 0))
	for _, tc := range []struct {
		name    string
		code    gateway.Code
		keyless bool
		retry   answer.Retry
		says    bool
	}{
		{"unknown, by the host's key", gateway.CodeOutcomeUnknown, false, answer.RetrySameKey, false},
		{"unknown, without one", gateway.CodeOutcomeUnknown, true, answer.RetryNo, true},
		{"no receipt, by the host's key", gateway.CodeReceiptUnavailable, false, answer.RetrySameKey, false},
		{"no receipt, without one", gateway.CodeReceiptUnavailable, true, answer.RetryNo, false},
		{"another refusal, without one", gateway.CodeUnavailable, true, answer.RetryLater, false},
	} {
		_, got := answer.NewTable().Render(answer.Refusal{Err: gateway.Fail(tc.code), Call: id, Action: action, Request: []byte("1"), Tool: true, Keyless: tc.keyless})
		says := bytes.Contains(got, []byte("do not repeat it before its outcome is known")) && bytes.Contains(got, []byte("Its action is "+action.String()))
		if !bytes.Contains(got, []byte(`"retry":"`+string(tc.retry)+`"`)) || says != tc.says {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
}

// TestCommittedIsNeverFailed: no sentence about a call that ran says that nothing
// happened, and each that may invite a repeat of a write says whether it ran.
func TestCommittedIsNeverFailed(t *testing.T) {
	for _, code := range []gateway.Code{gateway.CodeContractViolation, gateway.CodeWithheld, gateway.CodeMissingExternalID} {
		if s := answer.Rows()[code].Sentence; !strings.Contains(s, "the call was executed") {
			t.Errorf("%s: %s", code, s)
		}
	}
	for code, row := range answer.Rows() {
		if strings.Contains(row.Sentence, "nothing was executed") && row.Retry == answer.RetrySameKey {
			t.Errorf("%s: nothing was executed, and its key is spent", code)
		}
	}
	if s := answer.Rows()[gateway.CodeOutcomeUnknown].Sentence; !strings.Contains(s, "may have been executed") {
		t.Error(s)
	}
}
