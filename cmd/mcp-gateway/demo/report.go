package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/demo/plots"
	"mcp-gateway/cmd/mcp-gateway/demo/scene"
)

// The kinds of evidence: an observation is of the example server as it is; of a
// specification fixture the upstream's part was played.
const (
	observation = "observation"
	fixture     = "specification_fixture"
)

// report is what a run comes to.
type report struct {
	Version   int       `json:"version"`
	Gateway   string    `json:"gateway"` // the build
	Began     string    `json:"began"`   // the story's own time
	Cases     []outcome `json:"cases"`
	Held      int       `json:"held"`
	Broken    int       `json:"broken"`
	Events    int       `json:"events"`             // in the trace
	Problems  int       `json:"journal_problems"`   // that verifying the journal found
	Forwarded int       `json:"calls_at_upstreams"` // by the upstreams' own record

	trace []line
}

// outcome is one case. What is not measured is null.
type outcome struct {
	Case     string   `json:"case_id"`
	Group    string   `json:"group"`
	Title    string   `json:"title"`
	Versions versions `json:"versions"`
	Samples  int      `json:"sample_count"` // requests that hosts made
	Kind     string   `json:"evidence_kind"`
	Expected string   `json:"expected"`
	Observed string   `json:"observed"`
	Held     bool     `json:"held"`

	ProviderCost    *float64 `json:"provider_cost"`
	ProviderLatency *float64 `json:"provider_latency_ms"`
	ProviderTokens  *int     `json:"provider_tokens"`
	ModelQuality    *float64 `json:"real_model_quality"`
}

// versions are the revisions of the protocol on both hops; null where none was
// agreed on.
type versions struct {
	Host     *audit.Revision `json:"host"`
	Upstream *audit.Revision `json:"upstream"`
}

func newReport(version string) *report {
	return &report{Version: 1, Gateway: version, Began: scene.Began().Format(time.RFC3339)}
}

// add takes what became of a case.
func (r *report) add(p *plots.Plot, samples int, observed string, lines []line) *outcome {
	o := outcome{
		Case: p.ID, Group: p.Group, Title: p.Title, Samples: samples, Kind: observation,
		Expected: p.Want, Observed: observed, Held: observed == p.Want,
	}
	if p.Fixture {
		o.Kind = fixture
	}
	for i := range lines {
		if l := &lines[i]; l.Host != "" && o.Versions.Host == nil {
			o.Versions.Host = &l.Host
		}
		if l := &lines[i]; l.Upstream != "" && o.Versions.Upstream == nil {
			o.Versions.Upstream = &l.Upstream
		}
	}
	if o.Held {
		r.Held++
	} else {
		r.Broken++
	}
	r.Cases, r.trace, r.Events = append(r.Cases, o), append(r.trace, lines...), r.Events+len(lines)
	return &r.Cases[len(r.Cases)-1]
}

// write writes the report in a format.
func (r *report) write(w io.Writer, format string) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	switch format {
	case "json":
		out.SetIndent("", "  ")
		return out.Encode(r)
	case "jsonl":
		for i := range r.trace {
			if err := out.Encode(&r.trace[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return r.markdown(w)
}

func (r *report) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Boundary cases of a tool call\n\n%d cases, %d held, %d not. Journal: %d problems. %d calls reached an upstream.\n\n", len(r.Cases), r.Held, r.Broken, r.Problems, r.Forwarded)
	b.WriteString("Not measured: provider_cost, provider_latency_ms, provider_tokens, real_model_quality.\n\n")
	b.WriteString("| case | evidence | samples | host, upstream | observed | |\n|---|---|---|---|---|---|\n")
	for i := range r.Cases {
		o := &r.Cases[i]
		fmt.Fprintf(&b, "| `%s/%s` %s | %s | %d | %s, %s | %s | %s |\n", o.Group, o.Case, o.Title, o.Kind, o.Samples,
			or(o.Versions.Host), or(o.Versions.Upstream), strings.ReplaceAll(o.Observed, "|", "\\|"), map[bool]string{true: "held", false: "**not**"}[o.Held])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func or(r *audit.Revision) string {
	if r == nil {
		return "none"
	}
	return string(*r)
}

// save writes all three into a folder.
func (r *report) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var all error
	for name, format := range map[string]string{"report.json": "json", "report.md": "md", "trace.jsonl": "jsonl"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(r.write(f, format), f.Close())
		}
		all = errors.Join(all, err)
	}
	return all
}
