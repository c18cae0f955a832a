package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config/exposure"
	"mcp-gateway/config/form"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/findings"
	evidence "mcp-gateway/registry/review"
)

// indented lays JSON out for reading; what is no JSON is returned as it is.
func indented(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// review is what `tools approve` takes.
type review struct {
	definition, effect, idempotent, key, evidence, owner, why, by string
	reversible, outbound, openWorld, private, untrusted, stepUp   string
	statusTool, statusFound, sunset, use, contract, audit         string
	scopes, waive, tenants, statusArguments, data, unset          []string
	outcome                                                       string
	committed, accepted, partial, failed, notifies                []string
	timeout                                                       time.Duration
}

func approveCommand(f *flags) *cobra.Command {
	r := &review{}
	cmd := &cobra.Command{
		Use:   "approve UPSTREAM/TOOL --definition DIGEST",
		Short: "Record a review: serve exactly this definition",
		Long: "Record a review in exposure.yaml, for exactly the definition whose digest `tools show` printed.\n" +
			"What is left out stays as the record has it, and is printed. --by is needed for each review; a new record needs\n" +
			"--side-effect, --scope, --owner and --why too;\n" +
			"a write needs --external-id, evidence that its output schema guarantees, or --waive external_id=WHY.",
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&r.definition, "definition", "", "the `digest` that was reviewed")
	fl.StringVar(&r.effect, "side-effect", "", "read, write or destructive")
	fl.StringVar(&r.idempotent, "idempotent", "", "no, yes or key")
	fl.StringVar(&r.key, "idempotency-argument", "", "JSON `pointer` of the argument that carries the key")
	fl.StringVar(&r.evidence, "external-id", "", "JSON `pointer` into the result: evidence of a write")
	fl.StringArrayVar(&r.scopes, "scope", nil, "a scope that callers need; repeat for several")
	fl.StringVar(&r.owner, "owner", "", "who answers for the tool")
	fl.StringVar(&r.why, "why", "", "why it must exist")
	fl.StringVar(&r.by, "by", os.Getenv("USER"), "who reviewed it")
	fl.StringVar(&r.reversible, "reversible", "", "yes or no")
	fl.StringVar(&r.outbound, "outbound", "", "yes or no: does it reach people or systems outside")
	fl.StringVar(&r.openWorld, "open-world", "", "yes or no")
	fl.StringVar(&r.private, "reads-private", "", "yes or no")
	fl.StringVar(&r.untrusted, "untrusted-content", "", "yes or no: can strangers write what it returns")
	fl.DurationVar(&r.timeout, "timeout", 0, "of one call")
	fl.StringArrayVar(&r.waive, "waive", nil, "`code=why`: accept a finding or missing evidence, such as external_id=WHY")
	fl.StringVar(&r.statusTool, "status-tool", "", "the upstream's read `tool` that tells what became of a write")
	fl.StringArrayVar(&r.statusArguments, "status-argument", nil, "`name=text` for it; {key} stands for the idempotency key")
	fl.StringVar(&r.statusFound, "status-found", "", "JSON `pointer` into its result: the external id")
	fl.StringArrayVar(&r.data, "data", nil, "`pointer=class` of what stands in an argument, such as /title=internal")
	fl.StringVar(&r.outcome, "outcome", "", "JSON `pointer` into the result of a write: the word that tells what became of it")
	fl.StringArrayVar(&r.committed, "committed", nil, "a `word` there of what is done; repeat for several")
	fl.StringArrayVar(&r.accepted, "accepted", nil, "a `word` there of what will be done later")
	fl.StringArrayVar(&r.partial, "partial", nil, "a `word` there of what was done in part")
	fl.StringArrayVar(&r.failed, "failed", nil, "a `word` there of what was not done")
	fl.StringArrayVar(&r.notifies, "notifies", nil, "who learns of a call at once, a `name` or a JSON Pointer into the arguments; repeat for several")
	fl.StringVar(&r.sunset, "deprecated", "", "the `date` from which it is served no more")
	fl.StringVar(&r.use, "use", "", "the upstream's `tool` that replaces a deprecated one")
	fl.StringVar(&r.stepUp, "step-up", "", "yes or no: show it also to those who lack its scopes")
	fl.StringArrayVar(&r.tenants, "tenant", nil, "a tenant that may know of it; repeat for several; none means any")
	fl.StringVar(&r.contract, "contract", "", "the version of the contract that callers rely on")
	fl.StringVar(&r.audit, "audit", "", "disk: its events must survive the death of the machine, whatever its class")
	fl.StringArrayVar(&r.unset, "unset", nil, "a `key` that the record is to have no more, such as timeout")
	_ = cmd.MarkFlagRequired("definition") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return approve(cmd, f, r, args[0]) }
	return cmd
}

func approve(cmd *cobra.Command, f *flags, r *review, name string) error {
	if err := cli.Written(cmd); err != nil {
		return err
	}
	in, err := inspect(cmd, f, false)
	if err != nil {
		return err
	}
	o, err := find(in, name)
	if err != nil {
		return err
	}
	if string(o.Digest) != r.definition {
		return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s is now %s, not the digest that was named; review it again with `tools show`", o.ID, o.Digest)}
	}
	if o.Record != nil && r.by == "" {
		return cli.Misused("%s: --by says who reviewed it this time, and is needed; nothing was written", o.ID)
	}
	if missing := r.missing(o); len(missing) > 0 {
		return &cli.Error{Code: cli.Usage, Text: fmt.Sprintf("error: %s has no review yet, and a first one needs %s; nothing was written",
			o.ID, strings.Join(missing, ", "))}
	}
	record, err := r.record()
	if err != nil {
		return err
	}
	if err := r.acceptable(o, record.Waive); err != nil {
		return err
	}
	if err := acknowledged(o, record); err != nil {
		return err
	}
	if err := successor(in, o.ID, record.Deprecated); err != nil {
		return err
	}
	var now *registry.Record
	if err := exposure.Approve(in.Config.Exposure, o.ID, o.Digest, record, func(rec *registry.Record) error {
		now = rec
		return rec.Fits(o.ID.Kind, o.Definition.InputSchema, o.Definition.OutputSchema)
	}); err != nil {
		return err
	}
	if d := now.Facts.Deprecated; d.Retired(time.Now()) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is retired in %s, and not served: its sunset was %s; --unset deprecated takes that out\n",
			o.ID, o.Digest, in.Config.Exposure, d.Sunset.Format(time.DateOnly))
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is approved in %s\n", o.ID, o.Digest, in.Config.Exposure)
	}
	if o.Record != nil {
		r.kept(cmd.OutOrStdout(), o.Record, &record)
	}
	return nil
}

// kept says what of an earlier review goes on to hold, for it was not said anew.
func (r *review) kept(w io.Writer, was *registry.Record, in *exposure.RecordInput) {
	for _, k := range exposure.Kept(was, in) {
		fmt.Fprintf(w, "  kept from the review by %s, %s: %s: %s\n", printable(was.ApprovedBy), was.ApprovedAt.Format(time.DateOnly), k[0], printable(k[1]))
	}
	said := "kept from"
	if string(was.Definition) != r.definition {
		said = "no longer waived, said of another definition in"
	}
	for _, code := range slices.Sorted(maps.Keys(was.Waive)) {
		if !r.waives(code) {
			fmt.Fprintf(w, "  %s the review by %s, %s: waived %s: %s\n", said, printable(was.ApprovedBy), was.ApprovedAt.Format(time.DateOnly), code, printable(was.Waive[code]))
		}
	}
}

// successor refuses a deprecation in favour of a tool that neither its upstream lists nor
// anybody reviewed: it would send callers nowhere.
func successor(in *run.Inspection, id gateway.ItemID, d *gateway.Deprecation) error {
	if d == nil || d.Use == "" {
		return nil
	}
	var known []string
	for _, o := range in.Registry.Observations() { // what is on record and not listed is among them
		if o.ID.Kind == id.Kind && o.ID.Upstream == id.Upstream && o.ID.Name != "" && o.ID != id {
			known = append(known, o.ID.Name)
		}
	}
	switch {
	case slices.Contains(known, d.Use):
		return nil
	case d.Use == id.Name:
		return cli.Misused("--use: %s would replace itself; nothing was written", id)
	case known == nil:
		return cli.Misused("--use: %s has nothing else that could replace %s; nothing was written", id.Upstream, id)
	}
	return cli.Misused("--use: %s has no %s %q that could replace %s, and nothing was written%s", id.Upstream, id.Kind, d.Use, id,
		form.DidYouMean(d.Use, known))
}

// missing names the flags that a first review of the item still needs.
func (r *review) missing(o *registry.Observation) []string {
	if o.Record != nil {
		return nil
	}
	needed := []struct {
		flag  string
		given bool
		tool  bool // of tools only
	}{
		{"--side-effect", r.effect != "", true},
		{"--scope", len(r.scopes) > 0, true},
		{"--owner", r.owner != "", false},
		{"--why", r.why != "", false},
		{"--by", r.by != "", false},
		{"--external-id or --waive external_id=WHY", !r.writes() || r.evidence != "" || r.waives("external_id"), true},
	}
	var missing []string
	for _, n := range needed {
		if !n.given && (!n.tool || o.ID.Kind == gateway.KindTool) {
			missing = append(missing, n.flag)
		}
	}
	return missing
}

func (r *review) writes() bool {
	return r.effect == string(gateway.Write) || r.effect == string(gateway.Destructive)
}

func (r *review) waives(code string) bool {
	return slices.ContainsFunc(r.waive, func(w string) bool { return strings.HasPrefix(w, code+"=") })
}

// acceptable refuses to record a review that would have no effect: a tool that
// can't be served safely stays withheld whatever a record says.
func (r *review) acceptable(o *registry.Observation, waived map[string]string) error {
	if o.State != gateway.StateWithheld {
		return nil
	}
	for _, reason := range o.Reasons {
		if waived[string(reason)] == "" && reason != gateway.ReasonNoEvidence { // which is judged of the new record
			return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s is withheld (%s): %s", o.ID, cli.Joined(o.Reasons), printable(o.Detail))}
		}
	}
	return nil
}

// acknowledged holds back the approval of a definition, unless it is the one that
// was approved before, for each warning about which nobody wrote why it is
// acceptable: of this definition, whatever was waived of another.
func acknowledged(o *registry.Observation, in exposure.RecordInput) error {
	if o.Record != nil && o.Record.Definition == o.Digest {
		return nil
	}
	var open []string
	if said := o.Record.Waived(evidence.WaiveEvidence); said != "" && in.ExternalID == "" && in.SideEffect != gateway.Read && in.Waive[evidence.WaiveEvidence] == "" {
		open = append(open, fmt.Sprintf("  %s: the waiver was for another definition; it said %q", evidence.WaiveEvidence, printable(said)))
	}
	for _, f := range append(findings.Against(o.ID.Name, in.SideEffect), o.Findings...) {
		if f.Severity == gateway.Info || in.Waive[f.Code] != "" {
			continue
		}
		open = append(open, fmt.Sprintf("  %s at %s: %s", f.Code, printable(f.Path), findings.Reason(f.Code)))
	}
	if len(open) == 0 {
		return nil
	}
	return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s has findings that nobody has judged; nothing was written\n%s\nWhere one is acceptable, say why with --waive CODE=WHY.",
		o.ID, strings.Join(open, "\n"))}
}

func (r *review) record() (exposure.RecordInput, error) {
	in := exposure.RecordInput{
		SideEffect: gateway.SideEffect(r.effect), Idempotent: gateway.Idempotency(r.idempotent),
		IdempotencyArgument: r.key, ExternalID: r.evidence, Timeout: r.timeout,
		Tenants: r.tenants, Contract: r.contract, Audit: gateway.AuditLevel(r.audit), Unset: r.unset,
		Notifies: r.notifies,
		Scopes:   r.scopes, Owner: r.owner, Why: r.why, ApprovedBy: r.by, ApprovedAt: time.Now().UTC(),
	}
	for text, field := range map[*string]**bool{
		&r.reversible: &in.Reversible, &r.outbound: &in.Outbound, &r.openWorld: &in.OpenWorld,
		&r.private: &in.ReadsPrivate, &r.untrusted: &in.UntrustedContent, &r.stepUp: &in.StepUp,
	} {
		value, err := yesNo(*text)
		if err != nil {
			return in, err
		}
		*field = value
	}
	var err error
	if in.Waive, err = assigned("--waive", r.waive); err != nil {
		return in, err
	}
	if in.Data, err = assigned("--data", r.data); err != nil {
		return in, err
	}
	return in, r.later(&in)
}

// later fills in how a write is asked about later, and how long the tool has.
func (r *review) later(in *exposure.RecordInput) error {
	arguments, err := assigned("--status-argument", r.statusArguments)
	switch {
	case err != nil:
		return err
	case r.statusTool != "" && r.statusFound != "":
		in.Status = &gateway.StatusQuery{Tool: r.statusTool, Arguments: arguments, Found: r.statusFound}
	case r.statusTool+r.statusFound != "" || arguments != nil:
		return &cli.Error{Code: cli.Usage, Text: "error: a status query needs --status-tool and --status-found"}
	}
	switch words := slices.Concat(r.committed, r.accepted, r.partial, r.failed); {
	case r.outcome != "":
		in.Outcomes = &gateway.OutcomeWords{Pointer: r.outcome, Committed: r.committed, Accepted: r.accepted, Partial: r.partial, Failed: r.failed}
	case words != nil:
		return &cli.Error{Code: cli.Usage, Text: "error: --committed, --accepted, --partial and --failed are words at --outcome"}
	}
	if r.sunset == "" {
		if r.use != "" {
			return &cli.Error{Code: cli.Usage, Text: "error: --use says what replaces a deprecated tool: it needs --deprecated"}
		}
		return nil
	}
	sunset, err := time.Parse(time.DateOnly, r.sunset)
	if err != nil {
		return &cli.Error{Code: cli.Usage, Text: "error: --deprecated wants a date such as 2026-09-01"}
	}
	in.Deprecated = &gateway.Deprecation{Sunset: sunset, Use: r.use}
	return nil
}

// assigned reads the values of a flag that takes name=text; nil without any.
func assigned(flag string, values []string) (map[string]string, error) {
	var all map[string]string
	for _, v := range values {
		name, text, ok := strings.Cut(v, "=")
		if !ok || name == "" || text == "" {
			return nil, &cli.Error{Code: cli.Usage, Text: "error: " + flag + " wants name=text"}
		}
		if all == nil {
			all = make(map[string]string)
		}
		all[name] = text
	}
	return all, nil
}

func yesNo(text string) (*bool, error) {
	switch text {
	case "":
		return nil, nil
	case "yes":
		text = "true"
	case "no":
		text = "false"
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return nil, &cli.Error{Code: cli.Usage, Text: fmt.Sprintf("error: %q is neither yes nor no", text)}
	}
	return &value, nil
}

func quarantineCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine UPSTREAM/TOOL --why TEXT",
		Short: "Hold a tool back until it is approved again",
		Args:  cobra.ExactArgs(1),
	}
	why := cmd.Flags().String("why", "", "why it is held back")
	_ = cmd.MarkFlagRequired("why") // the flag exists
	by := cmd.Flags().String("by", os.Getenv("USER"), "who holds it back")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.Written(cmd); err != nil {
			return err
		}
		if *by == "" {
			return cli.Misused("--by says who holds it back, and is needed; nothing was written")
		}
		in, err := inspect(cmd, f, false)
		if err != nil {
			return err
		}
		id, err := parseToolID(args[0])
		if err != nil {
			return err
		}
		if err := exposure.Quarantine(in.Config.Exposure, id, *why, *by, time.Now()); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: held back in %s\n", id, in.Config.Exposure)
		return nil
	}
	return cmd
}

// printable shows what would not show.
func printable(s string) string { return diff.Visible(strings.TrimSpace(s)) }
