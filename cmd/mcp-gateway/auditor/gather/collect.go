package gather

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/collect"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/keyring"
)

// desk is what the command works on.
type desk struct{ store *string }

// Command returns audit collect. store is where --store will stand once flags are parsed.
func Command(store *string) *cobra.Command {
	d := desk{store}
	var keys []string
	var exported string
	cmd := &cobra.Command{
		Use:   "collect SOURCE…",
		Short: "Verify the journals of several gateways and bring them into one store, for audit --store; exit 4 if one is not whole",
		Long: "Verify the journals of several gateways and bring them into the store that --store names. A source is a gateway's\n" +
			"state directory or its journal. Checkpoints are held against --key, or against the keys beside the journal.\n" +
			"A source that does not verify, or that tells another history than the last time, is refused as a whole; the others are taken.\n\n" +
			"Where gateways name principals by different audit keys, that is said: a person has another pseudonym under each.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, sources []string) error {
			if *d.store == "" {
				return cli.Misused("--store says where to collect")
			}
			if err := os.MkdirAll(*d.store, 0o700); err != nil {
				return err
			}
			refused := 0
			for _, source := range sources {
				if ok, err := d.take(cmd, source, exported, keys); err != nil {
					return fmt.Errorf("%s: %w", source, err)
				} else if !ok {
					refused++
				}
			}
			if err := d.tellKeys(cmd); err != nil {
				return err
			}
			if refused > 0 {
				return &cli.Error{Code: cli.BadChain, Text: fmt.Sprintf("error: %d of %d sources were refused", refused, len(sources))}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "accept checkpoints by this key, as audit key prints it")
	cmd.Flags().StringVar(&exported, "export", "", "checkpoints that were kept elsewhere, a `file`")
	return cmd
}

// take brings in one source; false says that it was refused, and why was told.
func (d desk) take(cmd *cobra.Command, source, exported string, keys []string) (bool, error) {
	journal := filepath.Join(source, run.JournalDir)
	beside := filepath.Join(source, run.KeysDir)
	if _, err := os.Stat(journal); err != nil {
		journal, beside = source, filepath.Join(source, "..", run.KeysDir)
	}
	var o verify.Against
	for _, text := range keys {
		key, err := checkpoint.ParseKey(text)
		if err != nil {
			return false, cli.Misused("--key: %s", err)
		}
		o.Keys = append(o.Keys, key)
	}
	if _, err := os.Stat(beside); err == nil && len(o.Keys) == 0 {
		ring, err := keyring.Open(beside)
		if err != nil {
			return false, err
		}
		for _, key := range ring.Public(keyring.Checkpoint) {
			o.Keys = append(o.Keys, key)
		}
	}
	var err error
	if exported != "" {
		if o.Notes, err = checkpoint.Read(exported); err != nil {
			return false, err
		}
	}
	taken, err := collect.Take(journal, *d.store, o)
	out := cmd.OutOrStdout()
	switch {
	case errors.Is(err, collect.ErrNotWhole):
		fmt.Fprintf(out, "%s: refused, %d problems\n", source, len(taken.Report.Problems))
		for _, p := range taken.Report.Problems {
			fmt.Fprintln(out, "  "+p.String())
		}
		return false, nil
	case errors.Is(err, collect.ErrHistory):
		fmt.Fprintf(out, "%s: refused: %s\n", source, err)
		return false, nil
	case err != nil:
		return false, err
	}
	fmt.Fprintf(out, "%s: writers %d (%d with news), events %d\n", source, len(taken.Report.Writers), taken.Writers, taken.Report.Events)
	return true, nil
}
