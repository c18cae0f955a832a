package auditor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/registry/diff"
)

func (d *desk) show() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show EVENT",
		Short: "All that is on record of one action: what was offered, decided, approved, sent, and what became of it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			story, err := tale(cmd, a, args[0])
			if err != nil {
				return err
			}
			switch format {
			case "table":
				tellStory(cmd.OutOrStdout(), a, story)
				return tellLedger(cmd, a, story)
			case "json":
				return storyJSON(cmd.OutOrStdout(), story)
			default:
				return cli.Misused("-o: want table or json")
			}
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", "table or json: the events as they stand in the journal")
	return cmd
}

func storyJSON(w io.Writer, story []records.Told) error {
	type part struct {
		Part  string          `json:"part"`
		Event json.RawMessage `json:"event"`
	}
	parts := make([]part, 0, len(story))
	for _, t := range story {
		parts = append(parts, part{t.Part, t.Line})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(parts)
}

// tellStory writes one paragraph a part, and in it the members that say something.
func tellStory(w io.Writer, a *records.Records, story []records.Told) {
	for _, t := range story {
		e := &t.Event
		fmt.Fprintf(w, "%-9s %s  %s  %s/%d event %d\n", t.Part, e.Time.Local().Format("2006-01-02 15:04:05.000"), e.Type, e.Replica, e.Boot, e.Seq)
		for _, line := range aspects(a, e) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// tellLedger writes what the ledger holds of the action: what its receipt says and
// events don't.
func tellLedger(cmd *cobra.Command, a *records.Records, story []records.Told) error {
	var action audit.ID
	for _, t := range story {
		if !t.Event.Action.IsZero() {
			action = t.Event.Action
		}
	}
	e, kept, err := a.Ledger(cmd.Context(), action)
	if e == nil || err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%-9s action %s is %s\n", "ledger", e.Action, e.State)
	if e.ExternalID != "" {
		fmt.Fprintf(w, "  external id %s\n", diff.Visible(e.ExternalID))
	}
	if kept != nil {
		fmt.Fprintf(w, "  receipt %s\n", kept.Digest)
	}
	if word := e.Word(); word != "" {
		fmt.Fprintf(w, "  as %s\n", diff.Visible(word))
	}
	return nil
}

// aspects says what an event holds, a line an aspect.
func aspects(a *records.Records, e *audit.Event) []string {
	var out []string
	say := func(format string, value string, more ...any) {
		if value != "" {
			out = append(out, fmt.Sprintf(format, append([]any{value}, more...)...))
		}
	}
	say("by %s", who(a, e))
	say("host's run %s, step %s, call %s", string(e.Run), e.Step, e.Call)
	if e.Upstream != "" {
		say("tool %s of upstream %s", string(e.Tool), e.Upstream)
	} else {
		say("tool %s", string(e.Tool))
	}
	if e.Upstream != "" && e.ToolRef != "" {
		say("%s, its name by digest %s", a.Item(e.Method, e.Upstream, e.Definition), e.ToolRef)
	} else {
		say("a name that is not served: %s", string(e.ToolRef))
	}
	say("definition %s", strings.TrimSpace(string(e.Definition)+" "+string(e.State)+" "+string(e.Class)))
	say("before it: %s", string(e.Was))
	say("effect %s", string(e.Effect))
	say("because %s", cli.Joined(e.Reasons))
	say("obliged to %s", cli.Joined(e.Obligations))
	say("arguments broke the schema at %s", cli.Joined(e.Faults))
	say("policy %s", string(e.Policy))
	say("bundle %s", string(e.Bundle))
	say("arguments %s (%d bytes)", string(e.Args), e.ArgsBytes)
	if !e.Approval.IsZero() {
		say("approval %s", e.Approval.String())
	}
	say("answered by %s", a.Approver(e))
	say("labelled %s", string(e.Label))
	if e.Offered+e.Withheld > 0 {
		out = append(out, fmt.Sprintf("offered %d, withheld %d", e.Offered, e.Withheld))
	}
	say("outcome %s", string(e.Outcome))
	say("code %s", string(e.Code))
	say("secrets taken out: %s", counted(e.Redactions))
	say("findings: %s", counted(e.Findings))
	if e.ResultBytes > 0 || e.Duration > 0 {
		out = append(out, fmt.Sprintf("result of %d bytes after %v", e.ResultBytes, e.Duration))
	}
	if !e.Receipt.IsZero() {
		say("receipt %s", e.Receipt.String())
	}
	say("build %s", string(e.Build))
	return out
}

func who(a *records.Records, e *audit.Event) string {
	name := a.Who(&audit.Row{Principal: e.Principal, Subject: e.Subject})
	if name == "" {
		return ""
	}
	if e.Tenant != "" {
		name += " of " + string(e.Tenant)
	}
	if e.Client != "" {
		name += " through " + string(e.Client)
	}
	how := strings.Fields(fmt.Sprintf("%s %s %s", e.Transport, e.Method, e.Revision))
	if len(how) == 0 {
		return name
	}
	return name + ", " + strings.Join(how, " ")
}

func counted(list []audit.Count) string {
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = fmt.Sprintf("%d %s", c.N, c.Class)
	}
	return strings.Join(texts, ", ")
}
