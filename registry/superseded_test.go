package registry

import (
	"fmt"
	"sync"
	"testing"

	"mcp-gateway/protocol"
)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// What is waited for is a change of what is served, and nothing less.
func TestSupersededTellsOfWhatIsServed(t *testing.T) {
	r := New(Options{})
	before := r.Snapshot()
	publish(t, r, "up", tool("a", "unreviewed, so not served"))
	if closed(before.Superseded()) {
		t.Error("a new definition that is not served is told as a change")
	}
	unreviewed := r.Snapshot()
	r.SetExposure(reviewed("up", tool("a", "x")))
	publish(t, r, "up", tool("a", "x"))
	if !closed(before.Superseded()) || !closed(unreviewed.Superseded()) {
		t.Error("a tool is served now, and who waits is not told")
	}
	served := r.Snapshot()
	publish(t, r, "up", tool("a", "x"))
	publish(t, r, "up", tool("a", "x"), tool("b", "unreviewed"))
	if closed(served.Superseded()) {
		t.Error("told of a list that serves the same")
	}
	if publish(t, r, "up", tool("a", "drifted")); !closed(served.Superseded()) {
		t.Error("not told that a tool is gone")
	}
	if gone := r.Snapshot(); closed(gone.Superseded()) {
		t.Error("the newest snapshot is superseded")
	}
}

// Who looks and then waits comes to the last state, however the changes fall.
func TestSupersededMissesNothing(t *testing.T) {
	const changes = 200
	r := New(Options{Trust: func(string) bool { return true }})
	last := fmt.Sprint("version ", changes-1)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				s := r.Snapshot()
				if p, _ := s.Resolve("", "up", "a"); p.Valid() && p.Item().Definition.Digest == protocol.DigestOf(tool("a", last)) {
					return
				}
				<-s.Superseded()
			}
		})
	}
	for i := range changes {
		publish(t, r, "up", tool("a", fmt.Sprint("version ", i)))
	}
	readers.Wait()
}
