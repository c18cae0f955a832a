package scale

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/gateway"
)

// How many different ones there are.
const (
	upstreams = 10
	tools     = 30 // of each upstream
)

// Who writes at once, so that one write takes several events as under load; and after
// how many events the gateway is started anew.
const (
	writers = 32
	boot    = 1_000_000
)

func principal(n int) audit.Keyed {
	return audit.Keyed("a1b2c3d4e5f60718:" + fmt.Sprintf("%032x", uint64(n)*0x9e3779b97f4a7c15))
}

// write puts n events of so many people on record below dir, a hundred in a second.
func write(t *testing.T, dir string, n, people int) {
	t.Helper()
	clock := atomic.Int64{}
	clock.Store(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	now := func() time.Time { return time.Unix(0, clock.Add(int64(10*time.Millisecond))) }
	for written := 0; written < n; written += boot {
		j, err := journal.Open(filepath.Join(dir, "journal"), journal.Options{Replica: "gw-0198a2b3", Build: "v1.0.0", Now: now})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		left := atomic.Int64{}
		left.Store(int64(min(boot, n-written)))
		for w := range writers {
			random := rand.New(rand.NewPCG(uint64(written), uint64(w)))
			all.Go(func() {
				for left.Load() > 0 {
					story := draw(random, people)
					left.Add(-int64(len(story)))
					for _, e := range story {
						if _, err := j.Append(context.Background(), e, audit.Process); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		all.Wait()
		if err := j.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// draw returns the events of one call: nine in ten are decided and finished, the others
// refused; one event in a hundred is a list. Few principals ask often.
func draw(random *rand.Rand, people int) []*audit.Event {
	e := asked(random, people)
	switch lot := random.IntN(100); {
	case lot == 0:
		e.Type, e.Method, e.Tool, e.Upstream, e.Definition, e.State = audit.ToolsListed, "tools/list", "", "", "", ""
		e.Offered, e.Withheld, e.Action = 290, 10, audit.ID{}
		fill(random, e.OfferedDigest[:], e.WithheldDigest[:])
		return []*audit.Event{e}
	case lot < 10:
		e.Type, e.Effect, e.Code, e.Reasons = audit.ToolRefused, gateway.Deny, gateway.CodeForbidden, []gateway.Reason{"scope_missing"}
		return []*audit.Event{e}
	}
	end := &audit.Event{
		Type: audit.ToolFinished, Action: e.Action, Outcome: gateway.OutcomeCommitted, ResultBytes: 200 + random.Uint64N(20_000),
		Stages: audit.Stages{audit.StageIntend: 35, audit.StageForward: 1000 + random.Uint32N(90_000), audit.StageCheckOutput: 41, audit.StageRedact: 22},
	}
	end.Duration = time.Duration(end.Stages[audit.StageForward]+400) * time.Microsecond
	if random.IntN(8) == 0 {
		end.Redactions = []audit.Count{{Class: "escape", N: 3}}
	}
	return []*audit.Event{e, end}
}

func asked(random *rand.Rand, people int) *audit.Event {
	lot := random.Float64()
	upstream := random.IntN(upstreams)
	tool := random.IntN(tools)
	digest := fmt.Sprintf("%064x", upstream*tools+tool+1)
	var sum, input [32]byte
	e := &audit.Event{
		Type: audit.ToolDecided, Action: audit.NewID(time.Now()), Request: audit.RequestRef(fmt.Sprint(random.IntN(100_000))),
		Principal: principal(int(lot * lot * float64(people))), Tenant: "platform", Client: "ci", Method: "tools/call",
		Transport: audit.HTTP, Era: audit.Modern, Revision: "2026-07-28", UpstreamEra: audit.Legacy, UpstreamRevision: "2025-11-25",
		UpstreamVersion: "1.4.2", Upstream: audit.Ident(fmt.Sprintf("server%02d", upstream)),
		Tool:       audit.Ident(fmt.Sprintf("server%02d__operation_%02d", upstream, tool)),
		Definition: gateway.Digest("sha256-jcs1:" + digest), State: gateway.StateApproved, Class: gateway.Read,
		Policy: "sha256:0123456789abcdef", Effect: gateway.Allow, Reasons: []gateway.Reason{"approved", "scopes_held"},
		ArgsBytes: 20 + random.Uint64N(4000),
		Stages:    audit.Stages{audit.StageDecode: 25, audit.StageVisible: 130, audit.StageCheckInput: 18, audit.StageDecide: 145},
	}
	fill(random, e.Trace[:], sum[:], input[:])
	e.Args = audit.Keyed("a1b2c3d4e5f60718:" + hex.EncodeToString(sum[:16]))
	e.Input = gateway.Digest("sha256-jcs1:" + hex.EncodeToString(input[:]))
	return e
}

func fill(random *rand.Rand, all ...[]byte) {
	for _, b := range all {
		for i := range b {
			b[i] = byte(random.Uint32())
		}
	}
}
