package records

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Records answer questions about what happened, with or without a gateway
// running on the same state.
type Records struct {
	index      *index.Index
	dir        string         // the journal's folder
	config     *config.Config // nil for collected journals without one
	names      *audit.Keys
	ids        []string                   // of the keys by which names are made
	borrowed   io.Writer                  // of collected journals: is told whose the keys are; nil for a gateway's own
	known      map[audit.Keyed]string     // pseudonyms of configured principals and of those who run the gateway
	of         map[string][][]audit.Keyed // by subject and key id: of each configured principal, by all keys
	staff      map[string][]audit.Keyed   // by subject, of those who run the gateway
	principals []*gateway.Principal       // the configured ones
	items      map[served]gateway.ItemID
}

// OpenStore opens the index over collected journals. Their keys stay with their
// gateways: principals are known by pseudonym, and by name as far as those of the
// configuration's state name them; nil is no configuration. Where somebody is asked for
// by name, it is told to w whose names these keys know.
func OpenStore(dir string, c *config.Config, w io.Writer) (*Records, error) {
	a := &Records{dir: filepath.Join(dir, run.JournalDir), borrowed: w}
	if c != nil {
		if _, err := os.Stat(filepath.Join(c.State.Dir, run.KeysDir)); err == nil {
			if err := a.learn(c); err != nil {
				return nil, err
			}
		}
	}
	var err error
	a.index, err = index.Open(filepath.Join(dir, run.IndexFile), a.dir)
	return a, err
}

// Open opens the index over the journal of a configuration.
func Open(c *config.Config) (*Records, error) {
	a := &Records{dir: filepath.Join(c.State.Dir, run.JournalDir)}
	if err := a.learn(c); err != nil {
		return nil, err
	}
	var err error
	a.index, err = index.Open(filepath.Join(c.State.Dir, run.IndexFile), a.dir)
	return a, err
}

// learn takes the keys of a configuration's state, and knows whom it names.
func (a *Records) learn(c *config.Config) error {
	keys, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		return err
	}
	a.config, a.ids, a.names = c, keys.KeyIDs(keyring.Audit), audit.NewKeys(keys)
	a.known, a.of, a.staff = map[audit.Keyed]string{}, map[string][][]audit.Keyed{}, map[string][]audit.Keyed{}
	for _, k := range c.Auth.Keys {
		a.know(&k.Principal)
	}
	for _, p := range []*gateway.Principal{c.Auth.Stdio, c.Auth.Anonymous} {
		if p != nil {
			a.know(p)
		}
	}
	a.knowStaff(c)
	return nil
}

func (a *Records) know(p *gateway.Principal) {
	names := a.names.Pseudonyms(p.ID())
	a.principals = append(a.principals, p)
	for _, name := range names {
		a.known[name] = p.Subject
	}
	a.of[p.Subject] = append(a.of[p.Subject], names)
	if p.Client != "" && p.Client != p.Subject {
		a.of[p.Client] = append(a.of[p.Client], names)
	}
}

// Who names the principal of a row: configured subjects in clear, since whoever
// can read the keys can know them anyway; others by pseudonym.
func (a *Records) Who(r *audit.Row) string {
	switch {
	case r.Subject != "":
		return string(r.Subject)
	case a.known[r.Principal] != "":
		return a.known[r.Principal]
	default:
		return string(r.Principal)
	}
}

// Query waits for the index to hold what is durable now, and asks it.
func (a *Records) Query(ctx context.Context, f audit.Filter) ([]audit.Row, error) {
	return a.index.Query(ctx, f)
}

// Event waits likewise, and returns the row of the event with that id, or none.
func (a *Records) Event(ctx context.Context, id audit.ID) ([]audit.Row, error) {
	return a.index.Event(ctx, id)
}

// Names makes the keyed digests of this state; nil where there are no keys, as for collected journals without a configuration.
func (a *Records) Names() *audit.Keys { return a.names }

// Count waits likewise, and counts rows by the values of some columns.
func (a *Records) Count(ctx context.Context, f audit.Filter, by []string) ([]index.Group, error) {
	return a.index.Count(ctx, f, by)
}

// Tell has the bar tell how far the index has come while it reads the journal.
func (a *Records) Tell(bar *cli.Bar) {
	a.index.Tell(func(read, total uint64) {
		if bar.Total = total; read < total {
			bar.Set(read)
			return
		}
		bar.Done()
	})
}

// Rebuild builds the index anew.
func (a *Records) Rebuild(ctx context.Context) error { return a.index.Rebuild(ctx) }

// Close lets go of the index.
func (a *Records) Close() error { return a.index.Close() }
