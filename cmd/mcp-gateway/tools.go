package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/author"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/reviewer"
	"mcp-gateway/cmd/mcp-gateway/reviewer/exhibit"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/findings"
)

func toolsCommand(f *flags) *cobra.Command {
	return cli.Group("tools", "See and review what upstreams list",
		toolsListCommand(f), toolsShowCommand(f), toolsDiffCommand(f), approveCommand(f), quarantineCommand(f), desk(f).Report(),
		author.ExplainTool(&f.config, buildVersion()))
}

// inspect is what the commands about tools begin with.
func inspect(cmd *cobra.Command, f *flags, fresh bool) (*run.Inspection, error) {
	return run.Inspect(cmd.Context(), run.Options{ConfigPath: f.config, Version: buildVersion(), Helper: confine.Helper()}, fresh)
}

// desk is what the reviewers' commands share.
func desk(f *flags) *reviewer.Desk {
	return &reviewer.Desk{Config: &f.config, Inspect: func(cmd *cobra.Command, only string, fresh bool) (*run.Inspection, error) {
		return run.Inspect(cmd.Context(), run.Options{ConfigPath: f.config, Version: buildVersion(), Helper: confine.Helper(), Only: only}, fresh)
	}}
}

// freshFlag lets a command ask upstreams instead of what was last observed.
func freshFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("refresh", false, "have the upstreams asked now, by the gateway if one runs, rather than what was last observed")
}

func toolsListCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all tools, served or not, and why not",
		Args:  cobra.NoArgs,
	}
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	state := cmd.Flags().String("state", "", "only this state, such as new, changed or withheld")
	fresh := freshFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.OneOf("--state", *state, gateway.ExposureStates()...); err != nil {
			return err
		}
		in, err := inspect(cmd, f, *fresh)
		if err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"tool", "state", "side_effect", "owner", "scopes", "reasons", "findings"}}
		for _, o := range in.Registry.Observations() {
			if *state == "" || string(o.State) == *state {
				t.Add(listRow(&o)...)
			}
		}
		tellUnserved(cmd, in)
		tellDown(cmd, in)
		return t.Write(cmd.OutOrStdout(), *format)
	}
	return cmd
}

// tellUnserved says of which upstreams a gateway that runs did not look at what this
// command saw.
func tellUnserved(cmd *cobra.Command, in *run.Inspection) {
	for _, id := range slices.Sorted(maps.Keys(in.Served)) {
		if err := in.Served[id]; err != nil {
			cmd.PrintErrf("%s was asked by this command, not by the gateway that runs, which serves what it saw last: %v\n", id, err)
		}
	}
}

// tellDown says beside a list which upstreams did not answer, so that their
// tools are not taken for gone.
func tellDown(cmd *cobra.Command, in *run.Inspection) {
	for _, id := range slices.Sorted(maps.Keys(in.Facts)) {
		f, u := in.Facts[id], in.Config.Upstreams[id]
		switch {
		case f.Up || u == nil:
		case len(u.Missing) > 0:
			cmd.PrintErrf("%s is down (%s), for a secret that its configuration names is not there: %v\n", id, f.Reason, u.Missing)
		case f.Reason == string(gateway.ReasonSecretMissing):
			cmd.PrintErrf("%s is down (%s): the gateway lacked a secret that is here; it finds it on a reload, a variable after a restart\n", id, f.Reason)
		case u.Stdio != nil:
			cmd.PrintErrf("%s is down (%s); `upstreams test %s` asks it and shows what it says\n", id, f.Reason, id)
		default:
			cmd.PrintErrf("%s is down (%s); `upstreams test %s` asks it again\n", id, f.Reason, id)
		}
	}
}

func listRow(o *registry.Observation) []string {
	effect, owner, scopes := "", "", ""
	if o.Record != nil {
		effect, owner = string(o.Record.Facts.Class()), o.Record.Facts.Owner
		scopes = strings.Join(o.Record.Facts.Scopes, ",")
	}
	return []string{o.ID.String(), string(o.State), effect, owner, scopes, cli.Joined(o.Reasons), strings.Join(reviewer.Codes(o), ",")}
}

// find returns the observation of the tool that a person named as
// upstream/tool or by its exposed name.
func find(in *run.Inspection, name string) (*registry.Observation, error) {
	for _, o := range in.Registry.Observations() {
		if o.ID.Name != "" && (o.ID.String() == name || o.Exposed == name) {
			return &o, nil
		}
	}
	return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: no tool %q was observed; `tools list` names them all", name)}
}

func toolsShowCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show UPSTREAM/TOOL",
		Short: "Show one tool: its digest, its review and its definition as sent",
		Args:  cobra.ExactArgs(1),
	}
	format := cmd.Flags().StringP("output", "o", "text", "text or json")
	fresh := freshFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.OneOf("--output", *format, "text", "json"); err != nil {
			return err
		}
		in, err := inspect(cmd, f, *fresh)
		if err != nil {
			return err
		}
		o, err := find(in, args[0])
		if err != nil {
			return err
		}
		if *format == "json" {
			return exhibit.Write(cmd.OutOrStdout(), o, in.History)
		}
		show(cmd.OutOrStdout(), o)
		past(cmd.OutOrStdout(), o, in.History)
		return nil
	}
	return cmd
}

func show(w io.Writer, o *registry.Observation) {
	fmt.Fprintf(w, "tool        %s\nexposed as  %s\nstate       %s\ndigest      %s\n", o.ID, o.Exposed, o.State, o.Digest)
	if len(o.Reasons) > 0 {
		fmt.Fprintf(w, "reasons     %s\n", cli.Joined(o.Reasons))
	}
	if o.Detail != "" {
		fmt.Fprintf(w, "detail      %s\n", diff.Visible(o.Detail))
	}
	if r := o.Record; r != nil {
		fmt.Fprintf(w, "reviewed    %s by %s for %s\n", r.ApprovedAt.Format(time.DateOnly), r.ApprovedBy, r.Definition)
		fmt.Fprintf(w, "side effect %s; owner %s; scopes %s\nwhy         %s\n",
			r.Facts.Class(), r.Facts.Owner, strings.Join(r.Facts.Scopes, " "), r.Facts.Why)
	}
	if o.Definition != nil {
		parts := o.Definition.Parts()
		fmt.Fprintf(w, "  text      %s\n  schemas   %s\n  rest      %s\n", parts.Description, parts.Schema, parts.Rest)
	}
	for _, found := range o.Findings {
		fmt.Fprintf(w, "finding     %s %s at %s: %s", found.Severity, found.Code, diff.Visible(found.Path), findings.Reason(found.Code))
		if found.Excerpt != "" {
			fmt.Fprintf(w, ": \"%s\"", diff.Visible(found.Excerpt))
		}
		fmt.Fprintln(w)
	}
	if o.Definition != nil {
		fmt.Fprintln(w)
		for line := range strings.Lines(indented(o.Definition.Raw)) {
			fmt.Fprintln(w, diff.Visible(strings.TrimRight(line, "\n")))
		}
	}
}

// past tells of every definition that was ever seen of the item.
func past(w io.Writer, o *registry.Observation, history []registry.Seen) {
	for _, s := range history {
		if s.ID == o.ID {
			fmt.Fprintf(w, "seen        %s  %s to %s  last %s\n", s.Digest,
				s.First.UTC().Format(time.DateTime), s.Last.UTC().Format(time.DateTime), s.State)
		}
	}
}

func toolsDiffCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff UPSTREAM/TOOL",
		Short: "Show how a tool's definition differs from the reviewed one; exit 3 if it does",
		Args:  cobra.ExactArgs(1),
	}
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	fresh := freshFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := inspect(cmd, f, *fresh)
		if err != nil {
			return err
		}
		tellUnserved(cmd, in)
		o, err := find(in, args[0])
		if err != nil {
			return err
		}
		before, err := reviewed(in, o)
		if err != nil {
			return err
		}
		changes := diff.Definitions(before, o.Definition.Raw)
		if *format == "json" {
			return exhibit.Differences(cmd.OutOrStdout(), o, changes)
		}
		return reviewer.Differences(cmd, o.ID.String(), changes, *format)
	}
	return cmd
}

// reviewed returns the definition that the tool's record speaks of.
func reviewed(in *run.Inspection, o *registry.Observation) ([]byte, error) {
	if o.Definition == nil || o.Record == nil {
		return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s is %s: there is nothing to compare", o.ID, o.State)}
	}
	for _, s := range in.History {
		if s.ID == o.ID && s.Digest == o.Record.Definition {
			return s.Raw, nil
		}
	}
	if o.Digest == o.Record.Definition {
		return o.Definition.Raw, nil
	}
	return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: the reviewed definition %s was never observed here", o.Record.Definition)}
}

// parseToolID reads what a person typed.
func parseToolID(text string) (gateway.ItemID, error) {
	id, ok := gateway.ParseItemID(text)
	if !ok {
		return id, &cli.Error{Code: cli.Usage, Text: fmt.Sprintf("error: %q is not UPSTREAM/TOOL", text)}
	}
	return id, nil
}
