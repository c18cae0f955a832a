package operator

import (
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/approval"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/keyring"
	"mcp-gateway/registry/diff"
)

func (d *desk) listTickets() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List what is pending, or all", Args: cobra.NoArgs}
	all := cmd.Flags().Bool("all", false, "also what was decided")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return d.reading(cmd, func(s *state) error {
			if _, err := s.store.Expire(cmd.Context(), time.Now()); err != nil {
				return err
			}
			states := []approval.State{approval.Pending}
			if *all {
				states = nil
			}
			tickets, err := s.store.Tickets(cmd.Context(), states, 1000)
			if err != nil {
				return err
			}
			t := &cli.Table{Columns: []string{"id", "state", "caller", "tenant", "tool", "expires", "approver", "via"}}
			for i := range tickets {
				k := &tickets[i]
				t.Add(k.ID, string(k.State), diff.Visible(k.Binding.Subject), diff.Visible(k.Binding.Tenant), k.Binding.Upstream+"/"+k.Binding.Tool,
					k.Expires.Local().Format(time.DateTime), diff.Visible(k.Verdict.Approver), k.Verdict.Via)
			}
			return t.Write(cmd.OutOrStdout(), *format)
		})
	}
	return cmd
}

func (d *desk) showTicket() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show the very call that waits", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.reading(cmd, func(s *state) error {
				t, err := s.store.Ticket(cmd.Context(), args[0])
				if err != nil {
					return noTicket(err, args[0])
				}
				b, w := &t.Binding, cmd.OutOrStdout()
				fmt.Fprintf(w, "id          %s\nstate       %s\ncaller      %s (issuer %s, tenant %s, client %s)\ntool        %s/%s\ndefinition  %s\n",
					t.ID, t.State, diff.Visible(b.Subject), diff.Visible(b.Issuer), diff.Visible(b.Tenant), diff.Visible(b.Client), b.Upstream, b.Tool, b.Definition)
				fmt.Fprintf(w, "arguments   %s\n", b.Arguments)
				if shown, err := s.ring.Open(keyring.Ledger, t.Shown, []byte("ticket "+t.ID)); err == nil {
					fmt.Fprintf(w, "            %s\n", diff.Visible(string(shown)))
				}
				fmt.Fprintf(w, "created     %s\nexpires     %s\n", t.Created.Format(time.RFC3339), t.Expires.Format(time.RFC3339))
				if t.Verdict.Approver != "" {
					fmt.Fprintf(w, "decided by  %s (%s) %s\n", diff.Visible(t.Verdict.Approver), t.Verdict.Via, diff.Visible(t.Verdict.Reason))
				}
				return nil
			})
		},
	}
}

func (d *desk) approve() *cobra.Command {
	return d.verdict("approve", "Let the call run once, as somebody other than its caller", approval.Approved)
}

func (d *desk) deny() *cobra.Command {
	return d.verdict("deny", "Say no to the call", approval.Denied)
}

func (d *desk) revoke() *cobra.Command {
	return d.verdict("revoke", "Take back an approval that was not used yet, or a question", approval.Cancelled)
}

// verdict is a command that decides a ticket. Who decides is who runs the command.
func (d *desk) verdict(verb, short string, to approval.State) *cobra.Command {
	cmd := &cobra.Command{Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1)}
	reason := cmd.Flags().String("reason", "", "why; kept with the ticket")
	groups := cmd.Flags().StringArray("group", nil, "approve as a member of this group, where policy asks for one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *reason == "" {
			return cli.Misused("--reason: say why")
		}
		me, err := user.Current()
		if err != nil {
			return err
		}
		return d.with(cmd.Context(), func(s *state) error {
			t, err := s.store.Ticket(cmd.Context(), args[0])
			if err != nil {
				return noTicket(err, args[0])
			}
			v := approval.Verdict{State: to, Approver: me.Username, Groups: *groups, Via: "cli", Reason: *reason, At: time.Now()}
			v.Self = t.Binding.Subject == me.Username
			if err := s.store.Decide(cmd.Context(), t.ID, v); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", t.ID, to)
			return nil
		})
	}
	return cmd
}

func noTicket(err error, id string) error {
	if errors.Is(err, approval.ErrNoTicket) {
		return &cli.Error{Code: cli.Failed, Text: "error: there is no ticket " + id}
	}
	return err
}
