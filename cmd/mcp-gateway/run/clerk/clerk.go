package clerk

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/cmd/mcp-gateway/run/home"
	"mcp-gateway/cmd/mcp-gateway/run/seals"
	"mcp-gateway/config"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/record"
	"mcp-gateway/receipt"
)

// Clerk is a writer of the journal for one command. Close it.
type Clerk struct {
	Book    *effect.Book // to reconcile by; calls don't pass through it
	journal *journal.Journal
}

// Open begins a writer in the journal folder of a state directory.
func Open(c *config.Config, folder string, ring *keyring.Ring, ledger receipt.Ledger, version string) (*Clerk, error) {
	replica, err := home.Enter(c.State.Dir, c.Replica)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(folder, journal.Options{
		Replica: audit.Ident(replica), Build: audit.Version(version), Label: "cli",
		Seal: &journal.Seal{Signer: seals.Hand{Ring: ring}, Export: seals.Exporters(c.Audit.Export), Failed: func(error) {}},
	})
	if err != nil {
		return nil, err
	}
	return &Clerk{journal: j, Book: &effect.Book{
		Ledger: ledger, Keys: ring, Record: &record.Recorder{Journal: j, Names: audit.NewKeys(ring)},
		Writer: j.Writer().String(), Build: version, Clock: time.Now,
	}}, nil
}

// Close ends the writer.
func (k *Clerk) Close(ctx context.Context) error { return k.journal.Close(ctx) }
