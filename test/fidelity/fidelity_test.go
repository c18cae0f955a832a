package fidelity

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/redact"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// each is how many instances there are of a small type, in each pair of eras.
const each = 25

// TestFidelity sends everything from each era to each era, under the shipped profile.
func TestFidelity(t *testing.T) {
	sent, equal, drawn := everyPair(t, each, false)
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

// TestUncleaned sends what the shipped profile would clean, from each era to each
// era, under unsafe_uncleaned: it arrives as it was sent.
func TestUncleaned(t *testing.T) {
	shipped := redact.New(redact.Options{})
	for _, word := range dirty {
		if c, err := shipped.Result([]byte(`{"content":[{"type":"text","text":` + quote(word) + `}]}`)); err != nil || !c.Changed() {
			t.Errorf("%q is nothing that is cleaned: %v", word, err)
		}
	}
	sent, equal, drawn := everyPair(t, 10, true)
	if len(drawn) == 0 {
		return
	}
	t.Logf("all, uncleaned: %d messages sent, %d arrived equal", sent, equal)
	if sent != equal || sent < 800 {
		t.Errorf("%d of %d", equal, sent)
	}
}

// everyPair sends everything from each era to each era, n times as many instances as
// a type has kinds; it returns the counts, and which types were drawn of which
// revision.
func everyPair(t *testing.T, n int, uncleaned bool) (sent, equal int, drawn map[string]map[string]int) {
	drawn = map[string]map[string]int{}
	for seed, pair := range []struct{ host, up bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		name := fmt.Sprintf("%s host, %s upstream", era(pair.host), era(pair.up))
		t.Run(name, func(t *testing.T) {
			v := &values{Rand: rand.New(rand.NewPCG(20260728, uint64(seed))), dirty: uncleaned}
			ours, found := load(t, revision(pair.up), v)
			theirs, also := load(t, revision(pair.host), v)
			if !found || !also {
				t.Log("not run: the protocol's schemas are not here")
				return
			}
			up := newUpstream(pair.up)
			s := openStage(t, up, uncleaned)
			c := &scene{t: t, name: name, s: s, up: up, schemas: ours, counts: map[string]*count{}}
			c.host = newHost(t, s.Host("alice"), pair.host)
			c.all(theirs, n)
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
	return sent, equal, drawn
}

// all sends what passes between these two eras.
func (c *scene) all(theirs *schemas, n int) {
	c.results(n)
	c.notifications(2 * n)
	c.requests(theirs, 2*n)
	switch {
	case c.host.modern && c.up.modern:
		c.rounds(theirs, n)
	case c.up.modern:
		c.interviews(theirs, n)
	case !c.host.modern:
		c.relayed(theirs, n)
	}
	c.definitions(2 * n)
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
