package reports

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/auditor/pen"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

// The labels that a person may give.
const (
	right            = "right"
	wrongTool        = "wrong_tool"
	wrongValue       = "wrong_value"
	shouldHaveCalled = "should_have_called"
)

func labels() []string { return []string{right, wrongTool, wrongValue, shouldHaveCalled} }

// What may be drawn: calls, or lists that were offered, where the mistake can be that
// no call came.
const (
	ofCalls = "calls"
	ofLists = "lists"
)

// of says to which of the two an event belongs, "" for neither.
func of(t audit.Type) string {
	switch t {
	case audit.ToolDecided, audit.ToolRefused:
		return ofCalls
	case audit.ToolsListed:
		return ofLists
	}
	return ""
}

func (d Desk) review() *cobra.Command {
	return cli.Group("review", "Draw a sample of calls, label it, and see how often people find a call wrong", d.sample(), d.label(), d.rates())
}

func (d Desk) sample() *cobra.Command {
	var size int
	var seed uint64
	var since, tool, what, format string
	cmd := &cobra.Command{
		Use:   "sample",
		Short: "Draw calls at random; the same seed draws the same again",
		Long: "Draw calls at random; the same seed over the same record draws the same again. Look at each by audit show, and at\n" +
			"its arguments by audit detail where they are kept; then label it. --of lists draws lists that were offered: for\n" +
			"should_have_called.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().IntVar(&size, "size", 50, "how many")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "which sample")
	cmd.Flags().StringVar(&since, "since", "", "a duration back from now, such as 720h, or a time (RFC 3339)")
	cmd.Flags().StringVar(&tool, "tool", "", "an exposed name; one that ends in * stands for all that begin so")
	cmd.Flags().StringVar(&what, "of", ofCalls, "calls or lists")
	cmd.Flags().StringVarP(&format, "output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.OneOf("--of", what, ofCalls, ofLists); err != nil {
			return err
		}
		f := audit.Filter{Tool: audit.Ident(tool)}
		var err error
		if f.Since, err = cli.Moment("--since", since, time.Now()); err != nil {
			return err
		}
		a, err := d.Open(cmd)
		if err != nil {
			return err
		}
		defer func() { _ = a.Close() }() // it was only read
		s := NewSample(seed, size)
		err = a.Read(cmd.Context(), folder.Cursor{}, func(e folder.Entry) error {
			if of(e.Event.Type) == what && records.Admits(&f, e.Event) {
				s.Add(e.Event)
			}
			return nil
		})
		if err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"id", "time", "type", "principal", "tool", "effect", "code"}}
		for _, one := range s.Drawn() {
			t.Add(one.id.String(), one.time.UTC().Format(time.RFC3339), string(one.event), a.Who(&audit.Row{Principal: one.whose}),
				string(one.tool), one.effect, one.code)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d %s\n", len(t.Rows), s.Of, what)
		return t.Write(cmd.OutOrStdout(), format)
	}
	return cmd
}

func (d Desk) label() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "label ID LABEL | -",
		Short: "Say of a call whether it was right; - reads lines of an id and a label",
		Long: "Say of a call whether it was right. Labels: " + strings.Join(labels(), ", ") + ". A later label of the same call\n" +
			"counts. Each is an event, call.reviewed, with who gave it. - reads lines of an id and a label.",
		Args: cobra.RangeArgs(1, 2),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		input := io.Reader(strings.NewReader(strings.Join(args, " ")))
		if len(args) == 1 {
			if args[0] != "-" {
				return cli.Misused("an id wants a label: %s", strings.Join(labels(), ", "))
			}
			input = cmd.InOrStdin()
		}
		c, err := d.Config(cmd)
		if err != nil {
			return err
		}
		a, err := d.Open(cmd)
		if err != nil {
			return err
		}
		defer func() { _ = a.Close() }() // it was only read
		given, err := readLabels(cmd.Context(), a, input)
		if err != nil {
			return err
		}
		me, err := pen.Me(a.Names())
		if err != nil {
			return err
		}
		err = pen.Write(cmd.Context(), c, cmd.Root().Version, func(put func(*audit.Event) error) error {
			for _, g := range given {
				if err := put(&audit.Event{Type: audit.CallReviewed, Action: g.id, Label: audit.Word(g.label), Approver: me}); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%d labelled\n", len(given))
		}
		return err
	}
	return cmd
}

// given is one label.
type given struct {
	id    audit.ID
	label string
}

// readLabels reads all before anything is written: a mistake in one line labels
// nothing.
func readLabels(ctx context.Context, a *records.Records, r io.Reader) ([]given, error) {
	var all []given
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, cli.Misused("line %d: wants an id and a label", n)
		}
		id, ok := audit.ParseID(words[0])
		if !ok {
			return nil, cli.Misused("line %d: %q is no id", n, words[0])
		}
		if !slices.Contains(labels(), words[1]) {
			return nil, cli.Misused("line %d: %q is none of %s", n, words[1], strings.Join(labels(), ", "))
		}
		what, err := kindOf(ctx, a, id)
		if err != nil {
			return nil, err
		}
		if what == "" {
			return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: line %d: no call or list has the id %s", n, id)}
		}
		all = append(all, given{id, words[1]})
	}
	return all, lines.Err()
}

// kindOf says whether an id is that of a call or of a list, "" for neither.
func kindOf(ctx context.Context, a *records.Records, id audit.ID) (string, error) {
	rows, err := a.Query(ctx, audit.Filter{Action: id, Order: audit.OldestFirst})
	if err != nil {
		return "", err
	}
	itself, err := a.Event(ctx, id) // a list has no action
	for _, r := range append(rows, itself...) {
		if what := of(r.Type); what != "" {
			return what, err
		}
	}
	return "", err
}

// mostReviewed bounds the labels that are counted.
const mostReviewed = 1_000_000

func (d Desk) rates() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rates",
		Short: "How often people found what they looked at wrong, and how sure that is",
		Long: "How often people found what they looked at wrong: shares of the reviewed sample with their 95 % interval (Wilson).\n" +
			"The size of the sample is printed. What nobody looked at, and what those who looked did not notice, is outside.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := d.Open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			counted, err := countLabels(cmd.Context(), a)
			if err != nil {
				return err
			}
			t := &cli.Table{Columns: []string{"of", "label", "n", "reviewed", "share_%", "low_%", "high_%"}, Kinds: numbers("n", "reviewed", "share_%", "low_%", "high_%")}
			for _, what := range []string{ofCalls, ofLists} {
				addRates(t, what, counted[what])
			}
			fmt.Fprintln(cmd.ErrOrStderr(), sizes(counted))
			return t.Write(cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", cli.Formats)
	return cmd
}

func sizes(counted map[string]map[string]uint64) string {
	return fmt.Sprintf("reviewed: %d calls, %d lists. Errors that nobody looked at or noticed are outside.",
		total(counted[ofCalls]), total(counted[ofLists]))
}

func total(by map[string]uint64) (n uint64) {
	for _, one := range by {
		n += one
	}
	return n
}

func addRates(t *cli.Table, what string, by map[string]uint64) {
	size := total(by)
	if size == 0 {
		return
	}
	for _, label := range labels() {
		low, high := Wilson(by[label], size)
		t.Add(what, label, strconv.FormatUint(by[label], 10), strconv.FormatUint(size, 10),
			percent(by[label], size), bound(low), bound(high))
	}
}

func bound(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }

// countLabels counts the last label of each call and list.
func countLabels(ctx context.Context, a *records.Records) (map[string]map[string]uint64, error) {
	rows, err := a.Query(ctx, audit.Filter{Type: audit.CallReviewed, Order: audit.OldestFirst, Limit: mostReviewed})
	if err != nil {
		return nil, err
	}
	last := map[audit.ID]string{}
	for i := range rows {
		last[rows[i].Action] = string(rows[i].Label)
	}
	counted := map[string]map[string]uint64{ofCalls: {}, ofLists: {}}
	for id, label := range last {
		what, err := kindOf(ctx, a, id)
		if err != nil {
			return nil, err
		}
		if what != "" { // else retention removed what was looked at
			counted[what][label]++
		}
	}
	return counted, nil
}
