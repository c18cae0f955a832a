package author

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/pack"
	"mcp-gateway/rego/workbench"
)

func (d *desk) eval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval [FOLDER|BUNDLE]",
		Short: "Ask a policy one question and print its answer; exit 1 if it gives none",
		Args:  cobra.MaximumNArgs(1),
	}
	phase := cmd.Flags().String("phase", string(contract.PhaseDecision), "visible, decision or result")
	input := cmd.Flags().StringP("input", "i", "-", "the `file` with the input, - for standard input")
	explain := cmd.Flags().Bool("explain", false, "print how the answer came about, to standard error")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.OneOf("--phase", *phase, contract.Phases()...); err != nil {
			return err
		}
		from, err := d.from(args)
		if err != nil {
			return err
		}
		p, err := load(cmd.Context(), from, nil)
		if err != nil {
			return err
		}
		raw, err := read(cmd, *input)
		if err != nil {
			return err
		}
		name := *input
		if name == "-" {
			name = "(standard input)"
		}
		if strange := workbench.Strange(name, raw, contract.Phase(*phase)); strange != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: the gateway asks about no such thing\n%v\n", strange)
		}
		a, err := workbench.Eval(cmd.Context(), p, contract.Phase(*phase), raw, *explain)
		if err != nil {
			return err
		}
		fmt.Fprint(cmd.ErrOrStderr(), a.Trace)
		if a.Value == nil {
			return &cli.Error{Code: cli.Failed, Text: "error: the policy gives no answer, which is a denial"}
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", a.Value)
		return err
	}
	return cmd
}

// read reads a file or standard input: one strict JSON document.
func read(cmd *cobra.Command, name string) ([]byte, error) {
	var raw []byte
	var err error
	if name == "-" {
		raw, err = io.ReadAll(cmd.InOrStdin())
	} else {
		raw, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	if err := protocol.Check(raw, protocol.DefaultLimits()); err != nil {
		return nil, cli.Misused("--input: %v", err)
	}
	return raw, nil
}

func (d *desk) build() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build [FOLDER]",
		Short: "Check a policy and pack it as a signed bundle",
		Args:  cobra.MaximumNArgs(1),
	}
	out := cmd.Flags().StringP("out", "O", "bundle.tar.gz", "the `file` to write")
	key := cmd.Flags().String("signing-key", "", "the private `file` (PEM, ECDSA P-256 or RSA) that signs; without it the bundle is unsigned, and gateways refuse it by default")
	label := cmd.Flags().String("revision", "", "a name for people, such as a commit")
	sequence := cmd.Flags().Int64("sequence", 0, "higher than that of the bundle before; a gateway takes no lower one (default: the time, in seconds)")
	roots := cmd.Flags().StringSlice("root", nil, "pack a part of a policy that several bundles make: what lies below this `path`, such as mcp/gateway; may be repeated. It is checked with the others where they meet")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, shown, err := d.folder(args)
		if err != nil {
			return err
		}
		pem, err := keyFile(*key)
		if err != nil {
			return err
		}
		if *sequence < 0 {
			return cli.Misused("--sequence: wants a number from 1")
		}
		if *sequence == 0 {
			*sequence = time.Now().Unix()
		}
		raw, err := pack.Make(cmd.Context(), files, shown, pack.Build{Key: pem, Label: *label, Sequence: *sequence, Roots: *roots})
		if err != nil {
			return err
		}
		if err := os.WriteFile(*out, raw, 0o644); err != nil {
			return err
		}
		if pem == nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "warning: it is unsigned; a gateway takes it with policy.bundle.unsafe_unsigned alone")
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, sequence %d\n", *out, len(raw), *sequence)
		return err
	}
	return cmd
}
