package auditor

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/auditor/answer"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

func (d *desk) sql() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "sql QUERY",
		Short: "Ask in SQL over the view events, reading only; - reads the question from standard input",
		Long: "Ask in SQL over the view events, reading only. Its columns:\n\n" +
			"  time, type, event, action                 when, what kind, ids\n" +
			"  replica, boot, seq                        where it stands in the journal\n" +
			"  principal, subject, tenant, client        who\n" +
			"  transport, method                         from where, how\n" +
			"  upstream, tool, tool_ref, definition, state   on what\n" +
			"  effect, reasons, faults, policy           what was decided and why\n" +
			"  code, outcome, settled, duration_us       what became of it\n" +
			"  label, count                              a person's judgement; how many\n\n" +
			"Reasons are joined by spaces, faults by commas. JSON has numbers, null and, of bytes, their hex digits; an answer\n" +
			"has 100000 rows at most, and says so where it was cut.",
		Example: "  mcp-gateway audit sql \"SELECT tool, count(*) FROM events WHERE effect = 'deny' GROUP BY tool\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := args[0]
			if question == "-" {
				text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxValue))
				if err != nil {
					return err
				}
				question = strings.TrimSpace(string(text))
			}
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			found, err := a.SQL(cmd.Context(), question)
			if err != nil {
				return err
			}
			return answer.SQL(cmd, found, format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", cli.Formats)
	return cmd
}
