package fidelity

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// each is how many instances there are of a small type, in each pair of eras.
const each = 25

// TestFidelity sends everything from each era to each era.
func TestFidelity(t *testing.T) {
	sent, equal := 0, 0
	drawn := map[string]map[string]int{}
	for seed, pair := range []struct{ host, up bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		name := fmt.Sprintf("%s host, %s upstream", era(pair.host), era(pair.up))
		t.Run(name, func(t *testing.T) {
			v := &values{rand.New(rand.NewPCG(20260728, uint64(seed)))}
			ours, found := load(t, revision(pair.up), v)
			theirs, also := load(t, revision(pair.host), v)
			if !found || !also {
				t.Log("not run: the protocol's schemas are not here")
				return
			}
			up := newUpstream(pair.up)
			s := openStage(t, up)
			c := &scene{t: t, name: name, s: s, up: up, schemas: ours, counts: map[string]*count{}}
			c.host = newHost(t, s.Host("alice"), pair.host)
			c.results(each)
			c.notifications(2 * each)
			c.requests(theirs, 2*each)
			switch {
			case pair.host && pair.up:
				c.rounds(theirs, each)
			case pair.up:
				c.interviews(theirs, each)
			case !pair.host:
				c.relayed(theirs, each)
			}
			c.definitions(2 * each)
			a, b := c.report()
			sent, equal = sent+a, equal+b
			note := func(of *schemas, revision string) {
				for kind, n := range of.drawn {
					if drawn[revision] == nil {
						drawn[revision] = map[string]int{}
					}
					drawn[revision][kind] += n
				}
			}
			note(ours, revision(pair.up))
			note(theirs, revision(pair.host))
		})
	}
	if len(drawn) == 0 {
		return
	}
	t.Logf("all: %d messages sent, %d arrived equal", sent, equal)
	if sent != equal || sent < 2000 {
		t.Errorf("%d of %d", equal, sent)
	}
	for _, of := range []string{protocol.Revision20260728, protocol.Revision20251125} {
		everyType(t, of, drawn[of])
	}
}

func era(modern bool) string {
	if modern {
		return "modern"
	}
	return "legacy"
}

func revision(modern bool) string {
	if modern {
		return protocol.Revision20260728
	}
	return protocol.Revision20251125
}
