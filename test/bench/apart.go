package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	words "mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/receipt"
	"mcp-gateway/store"
)

// What durability costs, taken in this process: no caller can tell it apart.
const (
	writing   = "tools/call with side effects"
	recording = "events of a read call" // decided and finished
	entering  = "ledger entry of a write"
	indexing  = "index of an event"
	events    = "journal"
	ledger    = "ledger"
	perCall   = 2 // events of a call
)

// durable measures the journal's and the ledger's part of calls, at each concurrency
// that was asked for, and says what part of a measured call that is.
func durable(ctx context.Context, dir string, o *settings, rows []row) ([]row, error) {
	var more []row
	for _, n := range o.concurrency {
		event, err := journalCost(ctx, filepath.Join(dir, fmt.Sprint("journal-", n)), n)
		if err != nil {
			return nil, err
		}
		entry, err := ledgerCost(ctx, filepath.Join(dir, fmt.Sprint("ledger-", n)), n)
		if err != nil {
			return nil, err
		}
		more = append(more, row{recording, n, events, figures{cpu: perCall * event}}, row{entering, n, ledger, entry})
	}
	for _, r := range rows {
		if r.target != gateway {
			continue
		}
		switch r.workload {
		case protocol.MethodToolsCall:
			more = append(more, row{recording, r.concurrency, gateway, r.figures},
				row{indexing, r.concurrency, gateway, figures{cpu: r.index / perCall}})
		case writing:
			more = append(more, row{entering, r.concurrency, gateway, r.figures})
		}
	}
	return more, nil
}

// many runs one function n times at once, again and again, and gives the CPU of each
// run in µs.
func many(n, rounds int, run func(who, round int) error) (float64, error) {
	failed := make([]error, n)
	cpu := cpuEach(1, func() {
		var all sync.WaitGroup
		for who := range n {
			all.Go(func() {
				for round := range rounds {
					failed[who] = errors.Join(failed[who], run(who, round))
				}
			})
		}
		all.Wait()
	})
	return cpu / float64(n*rounds), errors.Join(failed...)
}

// measured is how many events, or entries, one figure is over, about.
const measured = 4096

// journalCost is the CPU in µs of putting one event of a read call on record, with n
// callers at a time.
func journalCost(ctx context.Context, dir string, n int) (cost float64, err error) {
	j, err := journal.Open(dir, journal.Options{Replica: "bench", Build: "0", Now: time.Now})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, j.Close(ctx)) }()
	const hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	decided := audit.Event{
		Type: audit.ToolDecided, Action: audit.NewID(time.Now()), Request: "1", Principal: audit.Keyed("a1b2c3d4a1b2c3d4:" + hex[:32]), Tenant: "platform",
		Method: protocol.MethodToolsCall, Transport: audit.HTTP, Era: audit.Modern, Revision: protocol.Revision20260728,
		UpstreamEra: audit.Modern, UpstreamRevision: protocol.Revision20260728, Upstream: echoServer, Tool: echoServer + "__echo",
		Definition: "sha256-jcs1:" + hex, Schema: audit.Sum{1}, State: words.StateApproved, Policy: audit.Version("sha256:" + hex[:16]),
		Effect: words.Allow, Args: audit.Keyed("a1b2c3d4a1b2c3d4:" + hex[:32]), ArgsBytes: 60,
	}
	finished := audit.Event{Type: audit.ToolFinished, Action: decided.Action, Outcome: words.OutcomeCommitted, ResultBytes: resultSize, Duration: time.Millisecond}
	return many(n, max(1, measured/n), func(_, round int) error {
		e := decided
		if round%perCall == 1 {
			e = finished
		}
		_, err := j.Append(ctx, &e, audit.Process)
		return err
	})
}

// ledgerCost is what the ledger does for one write, in CPU and in time: the action
// entered and on disk, and settled with its receipt.
func ledgerCost(ctx context.Context, dir string, n int) (f figures, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, err
	}
	s, err := store.Open(ctx, filepath.Join(dir, store.Name))
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	envelope := make([]byte, 1500) // as large as a receipt is, about
	began, rounds := time.Now(), max(1, measured/8/n)
	f.cpu, err = many(n, rounds, func(who, round int) error {
		now := time.Now()
		id := audit.NewID(now).String()
		entry := &receipt.Entry{
			Action: id, Attempt: 1, Item: words.ItemID{Upstream: echoServer, Name: noteTool}, Principal: "p", Tenant: "platform",
			State: words.OutcomeInFlight, Writer: "bench-1", Began: now,
		}
		if _, err := s.Begin(ctx, entry); err != nil {
			return err
		}
		return s.Settle(ctx, &receipt.Settlement{
			Action: id, Attempt: 1, From: words.OutcomeInFlight, State: words.OutcomeCommitted, At: now,
			Receipt: receipt.Kept{Action: id, At: now, Outcome: words.OutcomeCommitted, Digest: words.Digest(fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(id)))), Envelope: envelope},
		})
	})
	all := float64(2 * n * rounds) // cpuEach runs it twice
	f.rate = all / time.Since(began).Seconds()
	return f, err
}
