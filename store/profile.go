package store

import (
	"context"
	"database/sql"
	"errors"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// SetProfile implements registry.History. An older one than is kept changes nothing.
func (s *Store) SetProfile(ctx context.Context, upstream string, p registry.Profile) error {
	return explain("noting what an upstream is", s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO profiles (upstream, identity, instructions, capabilities, era, revision, refused, at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (upstream) DO UPDATE SET
				identity = excluded.identity, instructions = excluded.instructions, capabilities = excluded.capabilities,
				era = excluded.era, revision = excluded.revision, refused = excluded.refused, at = excluded.at
			WHERE excluded.at >= at`,
			upstream, string(p.Identity), string(p.Instructions), string(p.Capabilities), p.Era, p.Revision, string(p.Refused), p.At.UnixNano())
		return err
	}))
}

// Profile implements registry.History.
func (s *Store) Profile(ctx context.Context, upstream string) (registry.Profile, bool, error) {
	var p registry.Profile
	var identity, instructions, capabilities, refused string
	var at int64
	err := s.read.QueryRowContext(ctx, "SELECT identity, instructions, capabilities, era, revision, refused, at FROM profiles WHERE upstream = ?", upstream).
		Scan(&identity, &instructions, &capabilities, &p.Era, &p.Revision, &refused, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	p.Identity, p.Instructions, p.Capabilities = gateway.Digest(identity), gateway.Digest(instructions), gateway.Digest(capabilities)
	p.Refused, p.At = gateway.Reason(refused), instant(at)
	return p, err == nil, explain("reading what an upstream is", err)
}
