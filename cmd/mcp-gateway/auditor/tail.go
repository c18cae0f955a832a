package auditor

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

// tailEvery is how often a followed journal is looked at.
const tailEvery = 200 * time.Millisecond

func (d *desk) tail() *cobra.Command {
	q, follow, n, format := &question{}, false, 10, ""
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "The newest events, and with -f those that come, as they stand in the journal",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "table" && format != "jsonl" {
				return cli.Misused("-o: want table or jsonl")
			}
			if n < 0 {
				return cli.Misused("-n: wants a number from 0")
			}
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			f, err := q.filter(cmd.Context(), time.Now(), a)
			if err != nil {
				return err
			}
			t := &tailing{a: a, f: f, w: cmd.OutOrStdout(), format: format, cursor: folder.Cursor{}}
			if err := t.newest(cmd, n); err != nil || !follow {
				return err
			}
			tick := time.NewTicker(tailEvery)
			defer tick.Stop()
			for {
				select {
				case <-cmd.Context().Done():
					return nil
				case <-tick.C:
				}
				if err := a.Read(cmd.Context(), t.cursor, t.tell); err != nil && cmd.Context().Err() == nil {
					return err
				}
			}
		},
	}
	q.flags(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as events come, until interrupted")
	cmd.Flags().IntVarP(&n, "lines", "n", 10, "so many of the newest first")
	cmd.Flags().StringVarP(&format, "output", "o", "table", "table or jsonl: the lines of the journal")
	return cmd
}

// tailing tells events as they are read.
type tailing struct {
	a      *records.Records
	f      audit.Filter
	w      io.Writer
	format string
	cursor folder.Cursor
}

// newest tells the last n events, and leaves the cursor behind them.
func (t *tailing) newest(cmd *cobra.Command, n int) error {
	var last []audit.Event
	err := t.a.Read(cmd.Context(), t.cursor, func(e folder.Entry) error {
		if records.Admits(&t.f, e.Event) {
			if last = append(last, *e.Event); len(last) > n {
				last = last[1:]
			}
		}
		return nil
	})
	for i := range last {
		if err := t.print(&last[i]); err != nil {
			return err
		}
	}
	return err
}

func (t *tailing) tell(e folder.Entry) error {
	if !records.Admits(&t.f, e.Event) {
		return nil
	}
	return t.print(e.Event)
}

func (t *tailing) print(e *audit.Event) error {
	if t.format == "jsonl" {
		_, err := fmt.Fprintf(t.w, "%s\n", audit.AppendJSON(nil, e))
		return err
	}
	tool := string(e.Tool)
	if tool == "" {
		tool = string(e.Upstream)
	}
	id := e.ID
	if !e.Action.IsZero() {
		id = e.Action
	}
	_, err := fmt.Fprintf(t.w, "%s  %-19s %s %s %s %s %s %s\n", e.Time.Local().Format("15:04:05.000"), e.Type,
		dash(t.a.Who(&audit.Row{Principal: e.Principal, Subject: e.Subject})), dash(tool), dash(string(e.Effect)),
		dash(cli.Joined(e.Reasons)), dash(string(e.Code)+string(e.Outcome)), id)
	return err
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
