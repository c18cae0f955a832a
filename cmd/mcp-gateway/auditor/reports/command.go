package reports

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
)

// Desk is what the commands open.
type Desk struct {
	Open   func(*cobra.Command) (*records.Records, error)
	Config func(*cobra.Command) (*config.Config, error) // refused for collected journals
}

// Commands returns audit report and audit review.
func Commands(d Desk) []*cobra.Command {
	return []*cobra.Command{d.report(), d.review()}
}

// The parts of a report.
const (
	partCalls  = "calls"
	partUnused = "unused"
	partDrift  = "drift"
)

// classes are the columns that may tell classes of principals apart.
func classes() []string { return []string{"tenant", "client", "transport", "principal"} }

func (d Desk) report() *cobra.Command {
	var since, by, format string
	cmd := &cobra.Command{
		Use:   "report [calls|unused|drift]",
		Short: "What goes wrong how often, by tool and class of principal; tools never used; from drift to block",
		Long: "calls   by tool and class of principal: how many calls; how many of them asked for an unknown tool, broke the\n" +
			"        schema (with the places most often wrong), were denied by policy, or got an answer that broke its contract\n" +
			"unused  reviewed tools that nobody called\n" +
			"drift   each changed definition: how long it can have been served before it was held back, and how many calls of\n" +
			"        it were let through until it was reviewed\n\n" +
			"Whether a call was the wrong one is not in here: audit review says that.",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{partCalls, partUnused, partDrift},
	}
	cmd.Flags().StringVar(&since, "since", "", "a duration back from now, such as 720h, or a time (RFC 3339)")
	cmd.Flags().StringVar(&by, "by", "tenant", "what makes a class of principals: tenant, client, transport or principal")
	cmd.Flags().StringVarP(&format, "output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.OneOf("--by", by, classes()...); err != nil {
			return err
		}
		if err := cli.OneOf("report", strings.Join(args, ""), partCalls, partUnused, partDrift); err != nil {
			return err
		}
		f := audit.Filter{}
		var err error
		if f.Since, err = cli.Moment("--since", since, time.Now()); err != nil {
			return err
		}
		a, err := d.Open(cmd)
		if err != nil {
			return err
		}
		defer func() { _ = a.Close() }() // it was only read
		if len(args) == 1 {
			t, err := d.part(cmd, a, args[0], f, by)
			if err != nil {
				return err
			}
			return t.Write(cmd.OutOrStdout(), format)
		}
		return d.whole(cmd, a, f, by, format)
	}
	return cmd
}

func (d Desk) part(cmd *cobra.Command, a *records.Records, name string, f audit.Filter, by string) (*cli.Table, error) {
	switch name {
	case partUnused:
		return d.unused(cmd, a, f)
	case partDrift:
		return drifts(cmd.Context(), a, f)
	default:
		return calls(cmd.Context(), a, f, by)
	}
}

// whole writes all parts, for people.
func (d Desk) whole(cmd *cobra.Command, a *records.Records, f audit.Filter, by, format string) error {
	if format != "table" && format != "md" {
		return cli.Misused("-o %s: name one part, calls, unused or drift", format)
	}
	for i, name := range []string{partCalls, partUnused, partDrift} {
		t, err := d.part(cmd, a, name, f, by)
		if err != nil {
			return err
		}
		heading(cmd.OutOrStdout(), i, name, format)
		if err := t.Write(cmd.OutOrStdout(), format); err != nil {
			return err
		}
	}
	return nil
}

func heading(w io.Writer, i int, name, format string) {
	if i > 0 {
		fmt.Fprintln(w)
	}
	if format == "md" {
		fmt.Fprintf(w, "## %s\n\n", name)
		return
	}
	fmt.Fprintln(w, name)
}
