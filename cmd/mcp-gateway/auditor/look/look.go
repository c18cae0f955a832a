package look

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/cmd/mcp-gateway/auditor/pen"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/store/details"
)

// reasons are the words that may stand for why somebody looked.
func reasons() []string {
	var all []string
	for _, r := range detail.Reasons() {
		all = append(all, string(r))
	}
	return all
}

// Command returns audit detail. read reads the configuration whose state is asked.
func Command(read func(*cobra.Command) (*config.Config, error)) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "detail ACTION",
		Short: "Show the kept arguments of a call; each look is an event",
		Long: "Show the kept arguments of a call, where audit.detail keeps them and their time is not over. That somebody looked,\n" +
			"who and why, is an event, detail.read, durable before anything is shown. It wants the key for details: who may read\n" +
			"that file in the state's keys, and nobody else, can look.\n\n" +
			"What does not print is written as JSON escapes: the value is the same.",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why: "+strings.Join(reasons(), ", "))
	_ = cmd.MarkFlagRequired("reason") // it was declared a line above
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.OneOf("--reason", reason, reasons()...); err != nil || reason == "" {
			return errors.Join(err, cli.Misused("--reason: say why"))
		}
		id, ok := audit.ParseID(args[0])
		if !ok {
			return cli.Misused("%q is no id", args[0])
		}
		c, err := read(cmd)
		if err != nil {
			return err
		}
		kept, err := find(cmd, c, id)
		if err != nil {
			return err
		}
		return show(cmd, c, kept, gateway.Reason(reason))
	}
	return cmd
}

// find returns what is kept, still encrypted.
func find(cmd *cobra.Command, c *config.Config, id audit.ID) (detail.Kept, error) {
	path := filepath.Join(c.State.Dir, details.Name)
	if _, err := os.Stat(path); err != nil {
		return detail.Kept{}, none(id)
	}
	db, err := details.Open(cmd.Context(), path)
	if err != nil {
		return detail.Kept{}, err
	}
	kept, err := db.Get(cmd.Context(), id)
	if err = errors.Join(err, db.Close()); errors.Is(err, detail.ErrNone) || err == nil && !time.Now().Before(kept.Expires) {
		return kept, none(id)
	}
	return kept, err
}

func none(id audit.ID) error {
	return &cli.Error{Code: cli.Failed, Text: "error: no arguments are kept of " + id.String()}
}

// show puts the look on record, then shows.
func show(cmd *cobra.Command, c *config.Config, kept detail.Kept, why gateway.Reason) error {
	ring, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		return err
	}
	me, err := pen.Me(audit.NewKeys(ring))
	if err != nil {
		return err
	}
	err = pen.Write(cmd.Context(), c, cmd.Root().Version, func(put func(*audit.Event) error) error {
		return put(&audit.Event{Type: audit.DetailRead, Action: kept.Action, Approver: me, Reasons: []gateway.Reason{why}})
	})
	if err != nil {
		return err
	}
	arguments, err := detail.Open(ring, kept, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", escape(arguments))
	return err
}
