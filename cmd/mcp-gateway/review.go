package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/config/exposure"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
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
	reversible, outbound, openWorld, private, untrusted           string
	scopes, waive                                                 []string
	timeout                                                       time.Duration
}

func approveCommand(f *flags) *cobra.Command {
	r := &review{}
	cmd := &cobra.Command{
		Use:   "approve UPSTREAM/TOOL --definition DIGEST",
		Short: "Record a review: serve exactly this definition",
		Long: "Record a review in exposure.yaml, for exactly the definition whose digest `tools show` printed.\n" +
			"What is left out stays as the record has it. A new record needs --side-effect, --scope, --owner, --why and --by;\n" +
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
	_ = cmd.MarkFlagRequired("definition") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return approve(cmd, f, r, args[0]) }
	return cmd
}

func approve(cmd *cobra.Command, f *flags, r *review, name string) error {
	in, err := inspect(cmd, f, false)
	if err != nil {
		return err
	}
	o, err := find(in, name)
	if err != nil {
		return err
	}
	if string(o.Digest) != r.definition {
		return &exitError{exitFailed, fmt.Sprintf("error: %s is now %s, not the digest that was named; review it again with `tools show`", o.ID, o.Digest)}
	}
	if missing := r.missing(o); len(missing) > 0 {
		return &exitError{exitUsage, fmt.Sprintf("error: %s has no review yet, and a first one needs %s; nothing was written",
			o.ID, strings.Join(missing, ", "))}
	}
	record, err := r.record()
	if err != nil {
		return err
	}
	if err := r.acceptable(o, record.Waive); err != nil {
		return err
	}
	if err := exposure.Approve(in.Config.Exposure, o.ID, o.Digest, record); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is approved in %s\n", o.ID, o.Digest, in.Config.Exposure)
	return nil
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
		if waived[string(reason)] == "" {
			return &exitError{exitFailed, fmt.Sprintf("error: %s is withheld (%s): %s", o.ID, joined(o.Reasons), printable(o.Detail))}
		}
	}
	return nil
}

func (r *review) record() (exposure.RecordInput, error) {
	in := exposure.RecordInput{
		SideEffect: gateway.SideEffect(r.effect), Idempotent: gateway.Idempotency(r.idempotent),
		IdempotencyArgument: r.key, ExternalID: r.evidence, Timeout: r.timeout,
		Scopes: r.scopes, Owner: r.owner, Why: r.why, ApprovedBy: r.by, ApprovedAt: time.Now().UTC(),
	}
	for text, field := range map[*string]**bool{
		&r.reversible: &in.Reversible, &r.outbound: &in.Outbound, &r.openWorld: &in.OpenWorld,
		&r.private: &in.ReadsPrivate, &r.untrusted: &in.UntrustedContent,
	} {
		value, err := yesNo(*text)
		if err != nil {
			return in, err
		}
		*field = value
	}
	for _, w := range r.waive {
		code, why, ok := strings.Cut(w, "=")
		if !ok || why == "" {
			return in, &exitError{exitUsage, "error: --waive wants code=why"}
		}
		if in.Waive == nil {
			in.Waive = make(map[string]string)
		}
		in.Waive[code] = why
	}
	return in, nil
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
		return nil, &exitError{exitUsage, fmt.Sprintf("error: %q is neither yes nor no", text)}
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
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := inspect(cmd, f, false)
		if err != nil {
			return err
		}
		id, err := parseToolID(args[0])
		if err != nil {
			return err
		}
		if err := exposure.Quarantine(in.Config.Exposure, id, *why); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: held back in %s\n", id, in.Config.Exposure)
		return nil
	}
	return cmd
}
