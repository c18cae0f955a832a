package proof

import (
	"math/rand/v2"
	"testing"
	"time"

	"mcp-gateway/audit/journal/verify"
)

// TestProofKills is the long run.
func TestProofKills(t *testing.T) {
	if !*long {
		t.Log("not run: make proof")
		return
	}
	kill(t, 200, 10_000)
}

// TestFewKills is the same, short enough for every run.
func TestFewKills(t *testing.T) { kill(t, 5, 0) }

// hosts is how many call at once. With the pace of each they keep the gateway
// busy without making a journal that takes minutes to verify each time.
const (
	hosts = 6
	pace  = 6 * time.Millisecond // between the calls of one host, at least
)

// kill kills a gateway until so many kills struck calls under way and so many calls were
// sent, and judges.
func kill(t *testing.T, times, calls int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := newScene(t, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	end := s.startHosts(random)
	s.letGo(false)
	var f figures
	for (f.kills < times || s.sent() < calls) && !t.Failed() {
		if f.kills%10 == 9 && f.early <= f.kills/10 {
			// One that is not even up: its successor must mend twice as much.
			s.start().killAfter(time.Duration(random.IntN(120)) * time.Millisecond)
			f.early++
		}
		p := s.start()
		s.open(p)
		f.verified++
		if p.killAfter(40*time.Millisecond + time.Duration(random.IntN(220))*time.Millisecond) {
			f.kills++
		} else {
			f.idle++
		}
		f.slowest = max(f.slowest, p.survived)
	}
	end()
	s.letGo(true)
	p := s.start() // closes what the last kill left open
	s.open(p)
	p.stop()
	f.verified++
	s.verify()
	s.judge(&f)
	f.tell(t)
}

// verify fails the test if the journal is not whole.
func (s *scene) verify() verify.Report {
	s.t.Helper()
	report, err := verify.Journal(s.journal, verify.Against{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range report.Problems {
		s.t.Errorf("the journal does not verify: %+v", p)
	}
	return report
}
