package reviewer

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
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
	"mcp-gateway/registry/identity"
)

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
		in, err := d.unasked(cmd, args[0])
		if err != nil {
			return err
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
	if u.Issuer+rec.Issuer != "" {
		line("issuer", u.Issuer, rec.Issuer)
	}
	if u.Listed {
		fmt.Fprintf(w, "%-13s %s, %s; it calls itself %s\n", "speaks", fact.Era, fact.Revision, diff.Visible(fact.ClaimedName+" "+fact.ClaimedVersion))
		line("identity", u.Identity, rec.Identity)
		line("instructions", u.Instructions, rec.Instructions)
		if fact.Instructions != "" {
			told(w, []byte(fact.Instructions))
		}
		fmt.Fprintf(w, "%-13s %s\n", "declares", diff.Visible(fact.Capabilities))
	}
	if on.Refused != "" {
		fmt.Fprintf(w, "%-13s %s\n", "refused", on.Refused)
	}
	if !on.At.IsZero() {
		fmt.Fprintf(w, "%-13s %s (mcp-gateway audit query --type upstream.changed --upstream %s)\n", "on record", on.At.Local().Format(time.DateTime), id)
	}
	if rec.ApprovedBy != "" {
		fmt.Fprintf(w, "%-13s %s by %s\n", "reviewed", rec.ApprovedAt.Format(time.DateOnly), diff.Visible(rec.ApprovedBy))
	}
	if u.State == gateway.StateChanged {
		fmt.Fprintf(w, "%-13s mcp-gateway upstreams diff %s\n", "what changed", id)
		return &cli.Error{Code: cli.Differs}
	}
	return nil
}

func (d *Desk) approve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve UPSTREAM --identity DIGEST",
		Short: "Record a review of an upstream itself: what it runs as, its files, its instructions",
		Long: "Record a review of an upstream itself, for exactly the identity that `upstreams test` printed. It covers what\n" +
			"would be started or reached (`launch`) and, over TLS, who vouches for the host (`issuer`) too: from then on\n" +
			"nothing else is started or connected to under this name. --launch and --issuer review these alone, as\n" +
			"`upstreams show` prints them, and nothing is started or asked: the way on where the upstream is refused.\n" +
			"With --file its identity covers that file's contents too; the digest to name is then the one that is printed\n" +
			"when another is named. When the identity changes, nothing of the upstream is served until it is reviewed again.",
		Args: cobra.ExactArgs(1),
	}
	var in exposure.UpstreamInput
	var files []string
	fl := cmd.Flags()
	fl.StringVar((*string)(&in.Launch), "launch", "", "the `digest` of what would be started or reached, as reviewed")
	fl.StringVar((*string)(&in.Issuer), "issuer", "", "the `digest` of the key of the authority that vouches for its host")
	fl.StringVar((*string)(&in.Identity), "identity", "", "the `digest` that was reviewed")
	fl.StringVar((*string)(&in.Instructions), "instructions", "", "the `digest` of the instructions that were reviewed")
	fl.StringArrayVar(&files, "file", nil, "a `file` that makes it up, relative to exposure.yaml; repeat for several")
	fl.StringVar(&in.Source, "source", "", "where it comes from")
	fl.StringVar(&in.DataRegion, "data-region", "", "where it keeps what it is given")
	fl.StringVar(&in.Owner, "owner", "", "who answers for it")
	fl.StringVar(&in.ApprovedBy, "by", os.Getenv("USER"), "who reviewed it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return d.approveUpstream(cmd, args[0], in, files) }
	return cmd
}

func (d *Desk) approveUpstream(cmd *cobra.Command, id string, in exposure.UpstreamInput, files []string) error {
	if err := cli.Written(cmd); err != nil {
		return err
	}
	if in.ApprovedBy == "" {
		return cli.Misused("--by says who reviewed it, and is needed; nothing was written")
	}
	known, err := d.known(cmd, id, in)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		in.Files = whois.Files(known.Config, files)
		for _, path := range slices.Sorted(maps.Keys(in.Files)) {
			if in.Files[path] == "" {
				return cli.Misused("--file: %s can't be read", path)
			}
		}
	}
	if err := confirm(known, id, &in); err != nil {
		return err
	}
	in.ApprovedAt = time.Now()
	if err := exposure.ApproveUpstream(known.Config.Exposure, id, in); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: reviewed in %s\n", id, known.Config.Exposure)
	return nil
}

// confirm refuses a review of anything but what is there now, and completes that of an
// identity by what it covers.
func confirm(known *run.Inspection, id string, in *exposure.UpstreamInput) error {
	list, x := listed(known, id), known.Exposure
	if in.Files != nil {
		x = &registry.Exposure{Upstreams: map[string]*registry.UpstreamRecord{id: {Files: in.Files}}}
	}
	issuer := known.Registry.Upstream(id).Issuer
	is := map[string]gateway.Digest{
		"launch": whois.Launch(known.Config, x, id), "issuer": issuer, "instructions": protocol.DigestOf(orNull(list.Instructions)),
		"identity": whois.Of(known.Config, x, id, &registry.Listing{Revision: list.Revision, Capabilities: list.Capabilities}, issuer).Digest(),
	}
	for _, c := range []struct {
		what  string
		named gateway.Digest
	}{{"launch", in.Launch}, {"issuer", in.Issuer}, {"identity", in.Identity}, {"instructions", in.Instructions}} {
		if c.named != "" && !identity.Same(c.named, is[c.what]) {
			return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: the %s of %s is now %s, not what was named; nothing was written",
				c.what, id, cmp.Or(is[c.what], "not known"))}
		}
	}
	if in.Identity != "" {
		in.Launch, in.Issuer = is["launch"], issuer
	}
	return nil
}

// known returns what is known of an upstream: met now, unless all that is reviewed is
// known before it runs.
func (d *Desk) known(cmd *cobra.Command, id string, in exposure.UpstreamInput) (*run.Inspection, error) {
	if in.Identity == "" && in.Instructions == "" {
		return d.unasked(cmd, id)
	}
	known, err := d.meet(cmd, id)
	if fact := known.Facts[id]; err == nil && !fact.Up {
		err = &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s does not answer: %s; nothing was written", id, tell.Cause(fact))}
	}
	return known, err
}

// unasked returns what is known of an upstream without asking it.
func (d *Desk) unasked(cmd *cobra.Command, id string) (*run.Inspection, error) {
	known, err := d.Inspect(cmd, run.Nobody, false)
	if err == nil && known.Config.Upstreams[id] == nil {
		err = cli.Misused("no upstream %q is configured", id)
	}
	return known, err
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
