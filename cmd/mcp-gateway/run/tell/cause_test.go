package tell

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"mcp-gateway/registry"
)

func TestCause(t *testing.T) {
	for reason, want := range map[string]string{
		"": "", "exit_3": "its process ended with exit code 3", "signal_9": "its process was ended by signal 9", "http_503": "it answers with HTTP status 503",
		"dial_refused": "nobody listens at its address", "dial_timeout": "connecting to it took too long", "revision_too_old": "its revision is older than revision.minimum",
		"credential_invalid_client": "there is no credential for it: at its issuer, invalid_client",
		"of_a_kind_to_come":         "of_a_kind_to_come",
	} {
		if got := Cause(registry.UpstreamFact{Reason: reason}); got != want {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// Why an upstream is down is a warning, said once until it is another.
func TestFactIsToldOnce(t *testing.T) {
	core, logged := observer.New(zap.InfoLevel)
	l := Log{Zap: zap.New(core), Told: &Told{}}
	for _, f := range []registry.UpstreamFact{
		{ID: "a", Reason: "exit_3"}, {ID: "a", Reason: "exit_3"}, {ID: "b", Reason: "exit_3"}, {ID: "a", Reason: "exit_4"},
		{ID: "a", Up: true, Era: "legacy"}, {ID: "a", Up: true, Era: "legacy"}, {ID: "a", Reason: "exit_3"},
	} {
		l.Fact(f)
	}
	var got []string
	for _, e := range logged.All() {
		cause, _ := e.ContextMap()["cause"].(string)
		got = append(got, e.Level.String()+" "+e.ContextMap()["upstream"].(string)+" "+cause)
	}
	want := []string{
		"warn a its process ended with exit code 3", "warn b its process ended with exit code 3", "warn a its process ended with exit code 4",
		"info a ", "warn a its process ended with exit code 3",
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
