package auditor

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/auditor/beside"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/ground"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/seals"
	"mcp-gateway/config"
)

func (d *desk) verify() *cobra.Command {
	var journal, exported string
	var keys []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove offline that the journal is whole; exit 4 on the first thing that is wrong",
		Long: "Prove offline that the journal is whole: no gap, fork or changed event in any writer's chain, no boot and no\n" +
			"checkpoint missing, nothing cut off behind the last checkpoint that was taken to the second place.\n" +
			"Each problem names its writer and the first event that the chain does not vouch for.\n\n" +
			"Writers of which retention removed the beginning are named, each with the signed checkpoint at which it begins.\n" +
			"Then come two lines: how many writers, events and problems there are; and how many checkpoints the journal was held\n" +
			"against, how many events came after each writer's last one (a gateway signs at least every 1000 events and 60\n" +
			"seconds, and at its end), and how many after the last one in the second place, if there is one: those can be cut off without a trace.\n" +
			"Checkpoints that were long in coming, as when the machine slept, are counted; they prove no less.\n\n" +
			"The index beside the journal, from which queries are answered, is held against it as far as it has read: index_differs\n" +
			"is an event that one has and the other has not. A state directory with an index or keys and no event at all is a problem too.\n\n" +
			"Checkpoints are held to the keys of the configured state, also with --journal, or to those of --key; a store of\n" +
			"collected journals has none, so --key names those of its gateways. Where no key is known nothing proves that the\n" +
			"end was not cut off: that is said, and the exit code is 4 whatever the chains are like.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			held, err := d.against(cmd, journal, exported, keys)
			if err != nil {
				return err
			}
			bar := cli.NewBar(cmd.ErrOrStderr(), "events")
			held.Progress = bar.Set
			report, err := held.beside.Verify(cmd.Context(), held.journal, held.Against)
			bar.Done()
			if err != nil {
				return err
			}
			err = tellReport(cmd.OutOrStdout(), &report, held.second)
			if gone := held.beside.Tell(cmd.OutOrStdout(), &report); gone != nil {
				return gone
			}
			if len(held.Keys) == 0 && report.Events > 0 {
				return unproven()
			}
			if held.awaited != "" && err == nil {
				return tellAwaited(cmd.OutOrStdout(), held.awaited, report.Seals)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&journal, "journal", "", "the journal's `directory`, such as a copy, instead of the configuration's")
	fl.StringVar(&exported, "export", "", "checkpoints that were kept elsewhere, a `file`; the configured audit.export.file where this and --journal are absent")
	fl.StringArrayVar(&keys, "key", nil, "accept checkpoints by this key, as audit key prints it, instead of by the keys in the state")
	return cmd
}

// held is what is verified, and what it is held against.
type held struct {
	verify.Against
	journal string
	beside  beside.State // what else stands in the directory
	second  bool         // there is a second place, or should be
	awaited string       // the configured second place, which is not there; "" = it is, or there is none
}

// tellAwaited says what it means that the second place is not there: nothing where no
// checkpoint was made yet.
func tellAwaited(w io.Writer, path string, seals int) error {
	if seals > 0 {
		return &cli.Error{Code: cli.BadChain, Text: fmt.Sprintf("not proven: %s, to where checkpoints are taken, is not there though the journal has %d: "+
			"it was removed, or they never got there; a gateway takes the first one there within 60 seconds of its start", path, seals)}
	}
	_, err := fmt.Fprintf(w, "no checkpoint was made yet, and none is in the second place: the first comes within %v of the first event, or when the gateway stops\n", verify.SealTime)
	return err
}

// against gathers what the journal is held against.
func (d *desk) against(cmd *cobra.Command, journal, exported string, keys []string) (held, error) {
	o := held{journal: journal}
	for _, text := range keys {
		key, err := checkpoint.ParseKey(text)
		if err != nil {
			return o, cli.Misused("--key: %s", err)
		}
		o.Keys = append(o.Keys, key)
	}
	collected := journal == "" && d.store != ""
	if collected {
		if err := d.there(); err != nil {
			return o, err
		}
		o.journal, o.beside = filepath.Join(d.store, run.JournalDir), beside.State{Dir: d.store}
	}
	configured := false
	if !collected && (journal == "" || len(o.Keys) == 0) {
		c, err := d.standing(cmd)
		switch {
		case err != nil && journal == "":
			return o, err
		case err != nil: // a copy on a machine without a configuration: no key is known
		case journal == "":
			o.journal, o.beside = filepath.Join(c.State.Dir, run.JournalDir), beside.State{Dir: c.State.Dir}
			if exported == "" {
				exported, configured = c.Audit.Export.File, true
			}
			fallthrough
		default:
			if o.Keys, err = seals.OrKeys(o.Keys, filepath.Join(c.State.Dir, run.KeysDir)); err != nil {
				return o, err
			}
		}
	}
	if exported == "" {
		return o, nil
	}
	o.second = true
	_, err := os.Stat(exported)
	if configured && errors.Is(err, fs.ErrNotExist) {
		o.awaited = exported
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Notes, err = checkpoint.Read(exported)
	return o, err
}

// standing is read, but for a state whose journal is gone and something else stands: that
// is for verify to say.
func (d *desk) standing(cmd *cobra.Command) (*config.Config, error) {
	if d.state != "" && (&beside.State{Dir: d.state}).Traces() {
		return ground.Read(*d.config, d.state, cmd.ErrOrStderr())
	}
	return d.read(cmd)
}

// unproven refuses a journal of which nothing was held against a checkpoint: its end
// may have been cut off, and its chains are as good as before.
func unproven() error {
	return &cli.Error{Code: cli.BadChain, Text: "not proven: no key is known by which checkpoints are accepted, so none was looked at; " +
		"name it with --key, as `mcp-gateway audit key` prints it where the journal was written"}
}

func tellReport(w io.Writer, r *verify.Report, second bool) error {
	for _, p := range r.Problems {
		fmt.Fprintln(w, p)
	}
	tellRemoved(w, r)
	var open, abroad uint64
	for _, one := range r.Writers {
		open += one.Last - min(one.Last, one.Sealed)
		abroad += one.Last - min(one.Last, one.Abroad)
	}
	fmt.Fprintf(w, "writers %d, events %d, problems %d\n", len(r.Writers), r.Events, len(r.Problems))
	place := fmt.Sprintf("%d after the last one in the second place", abroad)
	if !second {
		place = "no second place to hold them against"
	}
	fmt.Fprintf(w, "checkpoints %d: %d events after the last one, %s\n", r.Seals, open, place)
	if r.Late > 0 {
		fmt.Fprintf(w, "%d checkpoints came later than %v after the first event that they cover\n", r.Late, verify.SealTime)
	}
	if r.Foreign > 0 {
		fmt.Fprintf(w, "%d checkpoints in the second place are signed by keys that are not known here and were not judged\n", r.Foreign)
	}
	if !r.OK() {
		return &cli.Error{Code: cli.BadChain}
	}
	return nil
}

// tellRemoved says which writers are not here from their first event.
func tellRemoved(w io.Writer, r *verify.Report) {
	for _, one := range r.Writers {
		gone := one.Removed
		if _, wrong := r.First(one.Writer); gone == nil || wrong {
			continue
		}
		begins := "begins at"
		if one.Events == 0 {
			begins = "ended with"
		}
		fmt.Fprintf(w, "%s %s checkpoint %d: events up to it were removed by retention", one.Writer, begins, gone.Seq)
		if gone.Event > 0 {
			fmt.Fprintf(w, ", on record as event %d of %s", gone.Event, gone.By)
		}
		fmt.Fprintln(w)
	}
}

func (d *desk) key() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print the public keys of the journal's checkpoints, for audit verify --key elsewhere",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := d.read(cmd)
			if err != nil {
				return err
			}
			keys, err := seals.Keys(filepath.Join(c.State.Dir, run.KeysDir))
			for _, key := range keys {
				fmt.Fprintln(cmd.OutOrStdout(), checkpoint.VerifierKey(ed25519.PublicKey(key)))
			}
			return err
		},
	}
}
