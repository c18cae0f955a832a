package exhibit

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/findings"
)

// exhibit is one thing as `tools show -o json` prints it.
type exhibit struct {
	Tool       string           `json:"tool"`
	Exposed    string           `json:"exposed"`
	State      string           `json:"state"`
	Digest     gateway.Digest   `json:"digest"`
	Parts      *parts           `json:"parts,omitempty"`
	Reasons    []gateway.Reason `json:"reasons"`
	Detail     string           `json:"detail,omitempty"`
	Review     *reviewed        `json:"review"`
	Findings   []found          `json:"findings"`
	Seen       []seen           `json:"seen"`
	Definition json.RawMessage  `json:"definition"`
}

type parts struct {
	Text    gateway.Digest `json:"text"`
	Schemas gateway.Digest `json:"schemas"`
	Rest    gateway.Digest `json:"rest"`
}

type reviewed struct {
	Definition gateway.Digest    `json:"definition"`
	SideEffect string            `json:"side_effect"`
	Owner      string            `json:"owner"`
	Why        string            `json:"why"`
	Scopes     []string          `json:"scopes"`
	Waive      map[string]string `json:"waive,omitempty"`
	Quarantine string            `json:"quarantine,omitempty"`
	By         string            `json:"approved_by"`
	At         string            `json:"approved_at"`
}

type found struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	At       string `json:"at"`
	Reason   string `json:"reason"`
	Excerpt  string `json:"excerpt,omitempty"`
}

type seen struct {
	Digest gateway.Digest `json:"digest"`
	First  time.Time      `json:"first"`
	Last   time.Time      `json:"last"`
	State  string         `json:"state"`
}

// Write writes what is known of one thing as one JSON object. The definition is as it
// was sent, but for white space between its parts and for characters that don't show,
// which are escaped.
func Write(w io.Writer, o *registry.Observation, history []registry.Seen) error {
	x := exhibit{
		Tool: o.ID.String(), Exposed: o.Exposed, State: string(o.State), Digest: o.Digest,
		Reasons: append([]gateway.Reason{}, o.Reasons...), Detail: o.Detail, Findings: []found{}, Seen: []seen{},
	}
	if d := o.Definition; d != nil {
		p := d.Parts()
		x.Parts = &parts{p.Description, p.Schema, p.Rest}
		if x.Definition = d.Raw; !json.Valid(d.Raw) {
			x.Definition, _ = json.Marshal(string(d.Raw)) // a string can't fail
		}
	}
	if r := o.Record; r != nil {
		x.Review = &reviewed{
			Definition: r.Definition, SideEffect: string(r.Facts.Class()), Owner: r.Facts.Owner, Why: r.Facts.Why, Scopes: r.Facts.Scopes,
			Waive: r.Waive, Quarantine: r.Quarantine, By: r.ApprovedBy, At: r.ApprovedAt.Format(time.DateOnly),
		}
	}
	for _, f := range o.Findings {
		x.Findings = append(x.Findings, found{f.Code, string(f.Severity), f.Path, findings.Reason(f.Code), f.Excerpt})
	}
	for _, s := range history {
		if s.ID == o.ID {
			x.Seen = append(x.Seen, seen{s.Digest, s.First.UTC(), s.Last.UTC(), string(s.State)})
		}
	}
	return write(w, x)
}

// write writes a value as indented JSON, what does not show escaped.
func write(w io.Writer, x any) error {
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(x); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(text.String()))
	return err
}

// escaped writes what does not show as JSON's own escapes; it stands in strings alone.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf, unicode.IsPrint(r) && !unicode.Is(unicode.Variation_Selector, r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
