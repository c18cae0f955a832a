package records

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
	"mcp-gateway/registry/diff"
	"mcp-gateway/store"
)

// served is how an event names a resource that it may not name in clear.
type served struct {
	upstream   string
	definition gateway.Digest
}

// Item names what was called where its name could not be written, since a URI may hold
// anything: the reviewed resource or template with that definition, or else of which
// kind it was and whose.
func (a *Records) Item(m audit.Method, upstream audit.Ident, definition gateway.Digest) string {
	if a.items == nil {
		a.items = reviewed(a.config)
	}
	if id, ok := a.items[served{string(upstream), definition}]; ok {
		return string(id.Kind) + " " + string(upstream) + " " + diff.Visible(id.Name)
	}
	kind, _, _ := strings.Cut(string(m), "/")
	return strings.TrimSuffix(kind, "s") + " of " + string(upstream)
}

func reviewed(c *config.Config) map[served]gateway.ItemID {
	all := map[served]gateway.ItemID{}
	if c == nil || c.Exposure == "" {
		return all
	}
	x, err := config.LoadExposure(c.Exposure)
	if err != nil {
		return all // names only help; validate says what is wrong with the file
	}
	for id, rec := range x.Items {
		if id.Kind == gateway.KindResource || id.Kind == gateway.KindTemplate {
			all[served{id.Upstream, rec.Definition}] = id
		}
	}
	return all
}

// Ledger returns what the ledger holds of an action, and its newest receipt; nil where
// there is none.
func (a *Records) Ledger(ctx context.Context, action audit.ID) (*receipt.Entry, *receipt.Kept, error) {
	if a.config == nil || action.IsZero() {
		return nil, nil, nil
	}
	path := filepath.Join(a.config.State.Dir, store.Name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = s.Close() }() // it was only read
	e, err := s.Action(ctx, action.String())
	if errors.Is(err, receipt.ErrNoAction) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	kept, err := s.Receipts(ctx, action.String(), 1)
	if err != nil || len(kept) == 0 {
		return e, nil, err
	}
	return e, &kept[0], nil
}
