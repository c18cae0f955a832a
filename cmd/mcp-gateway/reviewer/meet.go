package reviewer

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/cmd/mcp-gateway/run/whois"
	"mcp-gateway/config/exposure"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/findings"
	"mcp-gateway/registry/identity"
)

func (d *Desk) test() *cobra.Command {
	return &cobra.Command{
		Use:   "test UPSTREAM",
		Short: "Meet an upstream: does it answer, what is it, what does it list, what is suspicious",
		Long: "Meet an upstream: start or reach it, list what it offers, look for what is suspicious, and propose how\n" +
			"each tool might be approved. Nothing is written but that it was observed. Exit code 1 where it does not answer.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := d.meet(cmd, args[0])
			if err != nil {
				return err
			}
			fact := in.Facts[args[0]]
			if !fact.Up {
				return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s does not answer: %s", args[0], tell.Cause(fact))}
			}
			introduce(cmd.OutOrStdout(), in, args[0])
			return nil
		},
	}
}

// meet asks one upstream.
func (d *Desk) meet(cmd *cobra.Command, id string) (*run.Inspection, error) {
	in, err := d.Inspect(cmd, id, true)
	if err == nil && in.Config.Upstreams[id] == nil {
		err = cli.Misused("no upstream %q is configured", id)
	}
	return in, err
}

func listed(in *run.Inspection, id string) *registry.List {
	for _, l := range in.Registry.Lists() {
		if l.Upstream == id {
			return &l
		}
	}
	return &registry.List{}
}

func introduce(w io.Writer, in *run.Inspection, id string) {
	fact, list := in.Facts[id], listed(in, id)
	fmt.Fprintf(w, "%s answers: %s, %s; it calls itself %s\n", id, fact.Era, fact.Revision, diff.Visible(fact.ClaimedName+" "+fact.ClaimedVersion))
	fmt.Fprintf(w, "launch        %s\nidentity      %s\n", in.Registry.Upstream(id).Launch, list.Identity)
	if list.Instructions != nil {
		fmt.Fprintf(w, "instructions  %s\n              %s\n", protocol.DigestOf(list.Instructions), diff.Visible(string(list.Instructions)))
	}
	for _, o := range in.Registry.Observations() {
		if o.ID.Upstream == id && o.Definition != nil {
			propose(w, &o)
		}
	}
}

// propose says how one thing stands and how it might be approved. What it would do
// is guessed from its name, never from what the upstream claims.
func propose(w io.Writer, o *registry.Observation) {
	fmt.Fprintf(w, "\n%s  %s %s\n", diff.Visible(o.ID.String()), o.State, cli.Joined(o.Reasons))
	for _, f := range o.Findings {
		fmt.Fprintf(w, "  %s %s at %s: %s\n", f.Severity, f.Code, diff.Visible(f.Path), findings.Reason(f.Code))
	}
	if o.State != gateway.StateNew || o.ID.Kind != gateway.KindTool {
		return
	}
	effect := findings.Effect(o.ID.Name)
	if effect == "" {
		effect = gateway.Destructive
	}
	fmt.Fprintf(w, "  mcp-gateway tools approve %s --definition %s --side-effect %s --scope %s:%s --owner … --why … --by …",
		o.ID, o.Digest, effect, o.ID.Upstream, map[bool]string{true: "read", false: "write"}[effect == gateway.Read])
	if effect != gateway.Read {
		fmt.Fprint(w, " --external-id …")
	}
	fmt.Fprintln(w)
}

// show is "upstreams show".
func (d *Desk) show() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show UPSTREAM",
		Short: "Show an upstream itself: what it is, what of it was reviewed, what changed",
		Long: "Show an upstream itself: what it would be started as, what it was observed to be, what of that was reviewed,\n" +
			"and what it tells models. Nothing is started or asked. Exit code 3 where anything is not as it was reviewed.",
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := d.Inspect(cmd, run.Nobody, false)
		if err != nil {
			return err
		}
		if in.Config.Upstreams[args[0]] == nil {
			return cli.Misused("no upstream %q is configured", args[0])
		}
		return portray(cmd.OutOrStdout(), in, args[0])
	}
	return cmd
}

func portray(w io.Writer, in *run.Inspection, id string) error {
	u, fact, on := in.Registry.Upstream(id), in.Facts[id], in.Profiles[id]
	rec := in.Exposure.Upstream(id)
	if rec == nil {
		rec = &registry.UpstreamRecord{}
	}
	line := func(name string, is, reviewed gateway.Digest) {
		switch {
		case reviewed == "":
			fmt.Fprintf(w, "%-13s %s  not reviewed\n", name, is)
		case identity.Same(is, reviewed):
			fmt.Fprintf(w, "%-13s %s  as reviewed\n", name, is)
		default:
			fmt.Fprintf(w, "%-13s %s  reviewed was %s\n", name, is, reviewed)
		}
	}
	fmt.Fprintf(w, "%-13s %s\n%-13s %s %s\n", "upstream", id, "review", u.State, cli.Joined(u.Reasons))
	for _, text := range whois.Started(in.Config, id) {
		fmt.Fprintf(w, "%-13s %s\n", text[0], diff.Visible(text[1]))
	}
	line("launch", u.Launch, rec.Launch)
	if u.Listed {
		fmt.Fprintf(w, "%-13s %s, %s; it calls itself %s\n", "speaks", fact.Era, fact.Revision, diff.Visible(fact.ClaimedName+" "+fact.ClaimedVersion))
		line("identity", u.Identity, rec.Identity)
		line("instructions", u.Instructions, rec.Instructions)
		if fact.Instructions != "" {
			fmt.Fprintf(w, "%-13s %s\n", "", diff.Visible(fact.Instructions))
		}
		fmt.Fprintf(w, "%-13s %s\n", "declares", diff.Visible(fact.Capabilities))
	}
	if on.Refused != "" {
		fmt.Fprintf(w, "%-13s %s\n", "refused", on.Refused)
	}
	if !on.At.IsZero() {
		fmt.Fprintf(w, "%-13s %s (mcp-gateway audit query --type upstream.changed --upstream %s)\n", "on record", on.At.Local().Format(time.DateTime), id)
	}
	if u.State == gateway.StateChanged {
		return &cli.Error{Code: cli.Differs}
	}
	return nil
}

func (d *Desk) approve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve UPSTREAM --identity DIGEST",
		Short: "Record a review of an upstream itself: what it runs as, its files, its instructions",
		Long: "Record a review of an upstream itself, for exactly the identity that `upstreams test` printed.\n" +
			"With --launch, nothing is started: it is what would be started, as `upstreams show` prints it, and from then on\n" +
			"nothing else is started under this name. --identity reviews what would be started too.\n" +
			"With --file its identity covers that file's contents too; the digest to name is then the one that is printed\n" +
			"when another is named. When the identity changes, nothing of the upstream is served until it is reviewed again.",
		Args: cobra.ExactArgs(1),
	}
	var in exposure.UpstreamInput
	var files []string
	fl := cmd.Flags()
	fl.StringVar((*string)(&in.Launch), "launch", "", "the `digest` of what would be started, as reviewed")
	fl.StringVar((*string)(&in.Identity), "identity", "", "the `digest` that was reviewed")
	fl.StringVar((*string)(&in.Instructions), "instructions", "", "the `digest` of the instructions that were reviewed")
	fl.StringArrayVar(&files, "file", nil, "a `file` that makes it up, relative to exposure.yaml; repeat for several")
	fl.StringVar(&in.Source, "source", "", "where it comes from")
	fl.StringVar(&in.DataRegion, "data-region", "", "where it keeps what it is given")
	fl.StringVar(&in.Owner, "owner", "", "who answers for it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return d.approveUpstream(cmd, args[0], in, files) }
	return cmd
}

func (d *Desk) approveUpstream(cmd *cobra.Command, id string, in exposure.UpstreamInput, files []string) error {
	known, err := d.known(cmd, id, in)
	if err != nil {
		return err
	}
	list := listed(known, id)
	if len(files) > 0 {
		in.Files = whois.Files(known.Config, files)
		for _, path := range slices.Sorted(maps.Keys(in.Files)) {
			if in.Files[path] == "" {
				return cli.Misused("--file: %s can't be read", path)
			}
		}
	}
	x := known.Exposure
	if in.Files != nil {
		x = &registry.Exposure{Upstreams: map[string]*registry.UpstreamRecord{id: {Files: in.Files}}}
	}
	launch := whois.Launch(known.Config, x, id)
	if in.Launch != "" && in.Launch != launch {
		return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s would now be started as %s, not what was named; nothing was written", id, launch)}
	}
	if in.Identity != "" {
		is := list.Identity
		if known.Config.Upstreams[id].Stdio != nil {
			in.Launch = launch
		}
		if in.Files != nil {
			fact := known.Facts[id]
			is = whois.Of(known.Config, x, id, &registry.Listing{Revision: fact.Revision, Capabilities: raw(fact.Capabilities)}, "") // files are those of a process: no TLS
		}
		if is != in.Identity {
			return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s is now %s, not the identity that was named; nothing was written", id, is)}
		}
	}
	if is := protocol.DigestOf(orNull(list.Instructions)); in.Instructions != "" && is != in.Instructions {
		return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: the instructions of %s are now %s; nothing was written", id, is)}
	}
	if err := exposure.ApproveUpstream(known.Config.Exposure, id, in); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: reviewed in %s\n", id, known.Config.Exposure)
	return nil
}

// known returns what is known of an upstream: met now, unless all that is reviewed is
// known before it runs.
func (d *Desk) known(cmd *cobra.Command, id string, in exposure.UpstreamInput) (*run.Inspection, error) {
	if in.Identity != "" || in.Instructions != "" {
		return d.meet(cmd, id)
	}
	known, err := d.Inspect(cmd, run.Nobody, false)
	if err == nil && known.Config.Upstreams[id] == nil {
		err = cli.Misused("no upstream %q is configured", id)
	}
	return known, err
}

func raw(text string) []byte {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []byte(text)
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
