package approvals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/admin"
	"mcp-gateway/admin/client"
	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/auth/staff"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/ground"
	"mcp-gateway/config"
	"mcp-gateway/config/admins"
	"mcp-gateway/keyring"
	"mcp-gateway/store"
)

// counter is where a command is answered.
type counter interface {
	List(ctx context.Context, states []approval.State) ([]admin.Ticket, error)
	Show(ctx context.Context, id string) (admin.Ticket, error)
	Decide(ctx context.Context, id string, to approval.State, v admin.Verdict) (admin.Ticket, error)
	Remembered(ctx context.Context) ([]admin.Consent, error)
	Forget(ctx context.Context, id, reason string) error
}

// at finds the counter for one command, and does it there. What only reads does so
// whatever faults the configuration has.
func (d *desk) at(cmd *cobra.Command, reads bool, do func(c counter) error) error {
	ctx := cmd.Context()
	var c *config.Config
	var err error
	if reads || d.state != "" {
		c, err = ground.Read(*d.config, d.state, cmd.ErrOrStderr())
	} else {
		c, err = config.Load(*d.config)
	}
	if err != nil {
		return err
	}
	key, err := d.presented()
	if err != nil {
		return err
	}
	if running := client.Find(c.State.Dir, key); running != nil {
		return worded(do(running))
	}
	who, err := inPerson(c, key)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, filepath.Join(c.State.Dir, store.Name))
	if err != nil {
		return err
	}
	ring, err := keyring.Open(filepath.Join(c.State.Dir, "keys"))
	if err != nil {
		return errors.Join(err, s.Close())
	}
	alone := &state{&office.Office{Tickets: s, Ring: ring, Clock: time.Now}, who}
	return errors.Join(worded(do(alone)), s.Close())
}

// presented is the key that --key names; "" where it names none.
func (d *desk) presented() (string, error) {
	kind, name, ok := strings.Cut(d.key, ":")
	switch {
	case d.key == "":
		return "", nil
	case ok && kind == "env" && os.Getenv(name) != "":
		return os.Getenv(name), nil
	case ok && kind == "file":
		text, err := os.ReadFile(name)
		return strings.TrimSpace(string(text)), err
	}
	return "", cli.Misused("--key: wants env:NAME of a variable that is set, or file:PATH; a key does not stand on a command line")
}

// Person is who says something beside the gateway, as in answers to approvals: whose key
// --key names, or the owner of the state directory.
func Person(c *config.Config, key string) (*staff.Member, error) {
	presented, err := (&desk{key: key}).presented()
	if err != nil {
		return nil, err
	}
	return inPerson(c, presented)
}

// inPerson is who answers where no gateway runs: whose key it is, or the owner of the
// state directory, in the name that the configuration gives them.
func inPerson(c *config.Config, key string) (*staff.Member, error) {
	if key != "" {
		roster, err := staff.New(c.Admin.Keys)
		if err != nil {
			return nil, err
		}
		if m := roster.Member(staff.DigestOf(key)); m != nil {
			return m, nil
		}
		return nil, &cli.Error{Code: cli.Failed, Text: "error: nobody holds this key"}
	}
	info, err := os.Stat(c.State.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: no gateway runs on " + c.State.Dir + ", nor has one: there is no such directory"}
	}
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: no gateway runs on " + c.State.Dir + ", and you are not its owner"}
	}
	if c.Admin.Local.Subject == "" { // no configuration was read
		own := admins.Own()
		return &own, nil
	}
	return &c.Admin.Local, nil
}

// worded turns a refusal into a sentence with its code.
func worded(err error) error {
	var told *client.Refused
	var mine office.Refusal
	switch {
	case errors.As(err, &told):
		return &cli.Error{Code: cli.Failed, Text: "error: " + told.Error()}
	case errors.As(err, &mine):
		return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s", admin.Worded(mine))}
	}
	return err
}

// state answers without a gateway. What is done so goes on record when a call relies on
// it; a denial stands in the tickets alone.
type state struct {
	office *office.Office
	who    *staff.Member
}

func (s *state) person(needs staff.Right) (*approval.Person, error) {
	if !s.who.Has(needs) {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: No role of this key may do that. (forbidden)"}
	}
	return &approval.Person{Subject: s.who.Subject, Tenant: s.who.Tenant, Groups: s.who.Groups, Via: "cli", Key: s.who.ID}, nil
}

// List implements counter.
func (s *state) List(ctx context.Context, states []approval.State) ([]admin.Ticket, error) {
	who, err := s.person(staff.See)
	if err != nil {
		return nil, err
	}
	found, err := s.office.List(ctx, who, approval.Query{States: states, Limit: 10_000})
	all := make([]admin.Ticket, len(found))
	for i := range found {
		all[i] = admin.TicketOf(&found[i])
	}
	return all, err
}

// Show implements counter.
func (s *state) Show(ctx context.Context, id string) (admin.Ticket, error) {
	who, err := s.person(staff.Read)
	if err != nil {
		return admin.Ticket{}, err
	}
	v, err := s.office.Show(ctx, who, id)
	if err != nil {
		return admin.Ticket{}, err
	}
	return admin.ViewOf(v), nil
}

// Decide implements counter.
func (s *state) Decide(ctx context.Context, id string, to approval.State, v admin.Verdict) (admin.Ticket, error) {
	needs := staff.Answer
	if to == approval.Cancelled {
		needs = staff.Revoke
	}
	who, err := s.person(needs)
	if err != nil {
		return admin.Ticket{}, err
	}
	t, err := s.office.Decide(ctx, who, id, office.Answer{State: to, Reason: v.Reason, Remember: v.Remember})
	if err != nil {
		return admin.Ticket{}, err
	}
	return admin.TicketOf(t), nil
}

// Remembered implements counter.
func (s *state) Remembered(ctx context.Context) ([]admin.Consent, error) {
	who, err := s.person(staff.See)
	if err != nil {
		return nil, err
	}
	stand, err := s.office.Consents(ctx, who)
	all := make([]admin.Consent, len(stand))
	for i := range stand {
		all[i] = admin.ConsentOf(&stand[i])
	}
	return all, err
}

// Forget implements counter.
func (s *state) Forget(ctx context.Context, id, _ string) error {
	who, err := s.person(staff.Revoke)
	if err != nil {
		return err
	}
	return s.office.Forget(ctx, who, id)
}
