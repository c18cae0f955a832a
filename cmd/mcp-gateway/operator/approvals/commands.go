package approvals

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-gateway/admin"
	"mcp-gateway/admin/client"
	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/registry/diff"
)

// desk is what the commands share.
type desk struct {
	config *string
	key    string
	state  string // the directory, instead of the configuration's
}

// Command returns "approvals". path is where that of the configuration will stand once
// flags are parsed.
func Command(path *string) *cobra.Command {
	d := &desk{config: path}
	cmd := cli.Group("approvals", "Calls that wait for a person",
		d.list(), d.show(),
		d.verdict("approve", "Let the call run once", approval.Approved),
		d.verdict("deny", "Say no to the call", approval.Denied),
		d.verdict("revoke", "Take back an approval that was not used yet, a question, or a remembered consent", approval.Cancelled),
		d.remembered())
	cmd.Long = "Calls that wait for a person.\n\n" +
		"A gateway that runs on the state directory is asked, and knows by the key who answers: by --key that of a person\n" +
		"(admin.keys), else the token that only the owner of the state directory can read (admin.local). Where none runs,\n" +
		"the owner answers in the state directory itself, and it goes on record when a call relies on it."
	cmd.PersistentFlags().StringVar(&d.key, "key", "", "whose word it is: `env:NAME` or file:PATH of a key of admin.keys")
	cmd.PersistentFlags().StringVar(&d.state, "state-dir", "", "work on this state `directory`, whatever the configuration says")
	return cmd
}

func (d *desk) list() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List what is pending, or all", Args: cobra.NoArgs}
	all := cmd.Flags().Bool("all", false, "also what was decided")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return d.at(cmd, true, func(c counter) error {
			states := []approval.State{approval.Pending}
			if *all {
				states = nil
			}
			tickets, err := c.List(cmd.Context(), states)
			if err != nil {
				return err
			}
			t := &cli.Table{Columns: []string{"id", "state", "caller", "tenant", "tool", "expires", "approver", "via"}, Kinds: map[string]cli.Kind{"expires": cli.Time}}
			for i := range tickets {
				k := &tickets[i]
				by := admin.Decision{}
				if k.Decision != nil {
					by = *k.Decision
				}
				t.Add(k.ID, string(k.State), diff.Visible(k.Caller.Subject), diff.Visible(k.Caller.Tenant), named(k.Upstream, k.Tool),
					cli.Stamp(k.Expires), diff.Visible(by.By), by.Via)
			}
			return t.Write(cmd.OutOrStdout(), *format)
		})
	}
	return cmd
}

func (d *desk) show() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show the very call that waits", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.at(cmd, true, func(c counter) error {
				t, err := c.Show(cmd.Context(), args[0])
				if err == nil {
					printTicket(cmd.OutOrStdout(), &t)
				}
				return err
			})
		},
	}
}

// verdict is a command that decides a ticket.
func (d *desk) verdict(verb, short string, to approval.State) *cobra.Command {
	cmd := &cobra.Command{Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1)}
	reason := cmd.Flags().String("reason", "", "why; kept with the ticket")
	remember := new(bool)
	if to == approval.Approved {
		remember = cmd.Flags().Bool("remember", false, "let it stand for later calls of the tool by this caller, where policy allows that")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *reason == "" {
			return cli.Misused("--reason: say why")
		}
		return d.at(cmd, false, func(c counter) error {
			t, err := c.Decide(cmd.Context(), args[0], to, admin.Verdict{Reason: *reason, Remember: *remember})
			if to == approval.Cancelled && absent(err) { // the same word takes back what stands for later calls
				t.ID, t.State = args[0], approval.Cancelled
				err = c.Forget(cmd.Context(), args[0], *reason)
			}
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", t.ID, t.State)
			}
			return err
		})
	}
	return cmd
}

func absent(err error) bool {
	var told *client.Refused
	return errors.Is(err, office.NoTicket) || errors.As(err, &told) && told.Code == string(office.NoTicket)
}

func (d *desk) remembered() *cobra.Command {
	cmd := &cobra.Command{Use: "remembered", Short: "List consents that stand for later calls", Args: cobra.NoArgs}
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return d.at(cmd, true, func(c counter) error {
			stand, err := c.Remembered(cmd.Context())
			if err != nil {
				return err
			}
			t := &cli.Table{Columns: []string{"id", "caller", "tenant", "client", "tool", "expires", "approver", "via", "reason"},
				Kinds: map[string]cli.Kind{"expires": cli.Time}}
			for i := range stand {
				k := &stand[i]
				t.Add(k.ID, diff.Visible(k.Caller.Subject), diff.Visible(k.Caller.Tenant), diff.Visible(k.Caller.Client), named(k.Upstream, k.Tool),
					cli.Stamp(k.Expires), diff.Visible(k.Decision.By), k.Decision.Via, diff.Visible(k.Decision.Reason))
			}
			return t.Write(cmd.OutOrStdout(), *format)
		})
	}
	return cmd
}
