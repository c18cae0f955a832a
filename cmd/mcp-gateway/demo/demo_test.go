package demo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/demo/plots"
	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/confine"
)

// TestMain makes the test binary be what the demo starts: its example server, and the
// gateway that is killed.
func TestMain(m *testing.M) {
	if confine.Is(os.Args) {
		os.Exit(confine.Main(os.Args))
	}
	if len(os.Args) > 1 && slices.Contains([]string{scene.ServerName, scene.GatewayName}, os.Args[1]) {
		root := &cobra.Command{}
		root.AddCommand(ServerCommand(), GatewayCommand("test"))
		if root.ExecuteContext(context.Background()) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Every case comes out as it must, and each says what the reports need of it.
func TestCases(t *testing.T) {
	s, err := scene.Open(t.Context(), t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	var story bytes.Buffer
	r, err := play(t.Context(), s, &story)
	if err != nil {
		t.Errorf("%v\n%s", err, story.String())
	}
	if err := r.settle(t.Context(), s); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, o := range r.Cases {
		t.Run(o.Case, func(t *testing.T) {
			if !o.Held {
				t.Errorf("observed %q, want %q", o.Observed, o.Expected)
			}
			if o.Samples < 1 || o.Kind != observation && o.Kind != fixture || seen[o.Case] {
				t.Errorf("%+v", o)
			}
			seen[o.Case] = true
		})
	}
	for _, id := range boundaries() {
		if !seen[id] {
			t.Errorf("the case %s is missing", id)
		}
	}
}

// boundaries are the cases that every run must hold.
func boundaries() []string {
	return []string{
		"free_text_without_evidence", "malformed_json", "schema_violation", "valid_call",
		"result_correlation", "three_calls", "mismatched_call_id", "budget_exhausted",
		"approval_required", "allowed_write", "forged_receipt", "temporary_error", "permanent_business_error",
		"tool", "resource", "prompt", "host_isolation",
		"modern", "legacy", "unsupported_version",
		"user_denial", "approval_expiry", "argument_swap", "lost_answer_after_commit", "restart_in_flight",
		"duplicate_key", "conflicting_key", "reconcile",
	}
}

// Two runs report the same bytes, in every format, and nothing in them is of one run
// or one machine.
func TestTheSameBytesOnEveryRun(t *testing.T) {
	files := []string{"report.json", "report.md", "trace.jsonl"}
	var before map[string]string
	for range 2 {
		dir := t.TempDir()
		var story bytes.Buffer
		if err := tell(t.Context(), &story, "test", "story", dir, ""); err != nil {
			t.Fatal(err)
		}
		now := map[string]string{"story": story.String()}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			now[name] = string(text)
			if strings.Contains(now[name], os.TempDir()) || strings.Contains(now[name], "127.0.0.1") || strings.Contains(now[name], "Bearer") {
				t.Errorf("%s names a place or a key", name)
			}
		}
		for name, text := range before {
			if now[name] != text {
				t.Errorf("%s differs:\n%s", name, firstDifference(text, now[name]))
			}
		}
		before = now
	}
	for _, field := range []string{"provider_cost", "provider_latency_ms", "provider_tokens", "real_model_quality"} {
		if strings.Count(before["report.json"], `"`+field+`": null`) != len(plots.All()) {
			t.Errorf("%s is not null in every case", field)
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return "one is longer"
}
