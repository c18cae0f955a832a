package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	gate "mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/receipt"
)

// manyReceipts are to be verified on one core within the goal, in seconds.
const (
	manyReceipts   = 10_000
	receiptsWithin = 5.0
)

// writeReceipts measures how long it takes to verify many receipts, each of its own, one
// after the other.
func writeReceipts(w io.Writer, dir string) error {
	ring, err := keyring.Open(filepath.Join(dir, "receipts"))
	if err != nil {
		return err
	}
	envelopes := make([][]byte, manyReceipts)
	for i := range envelopes {
		if envelopes[i], err = receipt.Sign(ring, sampleReceipt(i)); err != nil {
			return err
		}
	}
	keys, began := ring.Public(keyring.Receipt), time.Now()
	for _, envelope := range envelopes {
		if _, err := receipt.Verify(envelope, keys, receipt.Claim{}); err != nil {
			return err
		}
	}
	took := time.Since(began).Seconds()
	fmt.Fprintf(w, "\n## Receipts\n\n| | goal | seconds | each µs |\n|---|---|---|---|\n| %d receipts of %d bytes verified, on one core | ≤ %.0f | %.2f | %.0f |\n",
		manyReceipts, len(envelopes[0]), receiptsWithin, took, took/manyReceipts*1e6)
	return nil
}

// sampleReceipt is one as a write leaves it.
func sampleReceipt(n int) *receipt.Statement {
	salt, hash := receipt.NewSalt(), strings.Repeat("ab", 32)
	return &receipt.Statement{
		V: receipt.Version, Action: fmt.Sprintf("01a22b82-1bea-75f7-8320-%012x", n), Attempt: 1, Principal: "k:" + hash[:32], Tenant: "bench",
		Upstream: "incident", Tool: "create_incident_ticket", Definition: "sha256-jcs1:" + gate.Digest(hash), Policy: "sha256:" + hash, Effect: gate.Allow,
		Arguments: receipt.Arguments{Salt: base64.RawURLEncoding.EncodeToString(salt[:]), Digest: receipt.ArgumentsDigest(salt, []byte(`{"title":"it burns"}`))},
		Outcome:   gate.OutcomeCommitted, ExternalID: fmt.Sprintf("INC-%d", n), KeyFrom: receipt.KeyOfHost,
		Host: receipt.Hop{Era: "modern", Revision: "2026-07-28"}, Upward: receipt.Hop{Era: "modern", Revision: "2026-07-28"},
		DecidedAt: "2026-09-01T00:00:00Z", FinishedAt: "2026-09-01T00:00:01Z", Build: "bench",
		Decided:  receipt.EventRef{Replica: "r", Boot: 1, Seq: uint64(2*n + 1), Hash: hash},
		Finished: receipt.EventRef{Replica: "r", Boot: 1, Seq: uint64(2*n + 2), Hash: hash},
	}
}
