package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Audit answers questions about what happened, with or without a gateway
// running on the same state.
type Audit struct {
	index *index.Index
	names *audit.Keys
	known map[audit.Keyed]string // pseudonyms of configured principals
	of    map[string][]audit.Keyed
}

// OpenAudit opens the index over the journal of a configuration.
func OpenAudit(c *config.Config) (*Audit, error) {
	keys, err := keyring.Open(filepath.Join(c.State.Dir, keysDir))
	if err != nil {
		return nil, err
	}
	x, err := index.Open(filepath.Join(c.State.Dir, indexFile), filepath.Join(c.State.Dir, JournalDir))
	if err != nil {
		return nil, err
	}
	a := &Audit{index: x, names: audit.NewKeys(keys), known: map[audit.Keyed]string{}, of: map[string][]audit.Keyed{}}
	for _, k := range c.Auth.Keys {
		a.know(&k.Principal)
	}
	for _, p := range []*gateway.Principal{c.Auth.Stdio, c.Auth.Anonymous} {
		if p != nil {
			a.know(p)
		}
	}
	return a, nil
}

func (a *Audit) know(p *gateway.Principal) {
	name := a.names.Principal(p.ID())
	a.known[name] = p.Subject
	a.of[p.Subject] = append(a.of[p.Subject], name)
	if p.Client != "" && p.Client != p.Subject {
		a.of[p.Client] = append(a.of[p.Client], name)
	}
}

// Pseudonym returns how events name a person: the pseudonym itself, or that of
// the configured principal with this subject or key id.
func (a *Audit) Pseudonym(who string) (audit.Keyed, error) {
	named := a.of[who]
	switch {
	case who == "" || strings.Contains(who, ":"):
		return audit.Keyed(who), nil
	case len(named) == 1:
		return named[0], nil
	case len(named) == 0:
		return "", fmt.Errorf("no configured principal is called %q", who)
	default:
		return "", fmt.Errorf("%d configured principals are called %q; name the key id", len(named), who)
	}
}

// Who names the principal of a row: configured subjects in clear, since whoever
// can read the keys can know them anyway; others by pseudonym.
func (a *Audit) Who(r *audit.Row) string {
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
func (a *Audit) Query(ctx context.Context, f audit.Filter) ([]audit.Row, error) {
	if err := a.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	return a.index.Query(ctx, f)
}

// Close lets go of the index.
func (a *Audit) Close() error { return a.index.Close() }
