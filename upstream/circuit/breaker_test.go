package circuit

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/wire"
)

func TestBreaker(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	b := New(3, time.Minute, func() time.Time { return now })
	late, gone, broken := gateway.Fail(gateway.CodeTimeout), gateway.Fail(gateway.CodeCancelled), gateway.Fail(gateway.CodeExecutionError)
	call := func(err error, wasted int) (refused bool) {
		t.Helper()
		if e := b.Enter(); e != nil {
			var coded *gateway.Error
			if !errors.As(e, &coded) || coded.Code != gateway.CodeUnavailable || !slices.Equal(coded.Reasons, []gateway.Reason{wire.ReasonCircuit}) || coded.RetryAfter < time.Second {
				t.Fatalf("refused by %+v", e)
			}
			return true
		}
		b.Leave(err, wasted)
		return false
	}
	steps := []struct {
		name    string
		err     error // what becomes of the call; nil = an answer
		pass    time.Duration
		refused bool
		wasted  int
	}{
		{"late", late, 0, false, 0}, {"late again", late, 0, false, 0},
		{"an answer between them", nil, 0, false, 0},
		{"late", late, 0, false, 0}, {"late again", late, 0, false, 0},
		{"a failure is an answer too", broken, 0, false, 0},
		{"late", late, 0, false, 0}, {"late again", late, 0, false, 0},
		{"who left tells nothing", gone, 0, false, 0},
		{"late for the third time", late, 0, false, 0},
		{"while it rests", nil, 0, true, 0}, {"at the end of its rest", nil, time.Minute - 1, true, 0},
		{"one is tried, who leaves", gone, 1, false, 0},
		{"one is tried, and is late", late, 0, false, 0},
		{"it rests again", nil, 0, true, 0},
		{"one is tried, and answered", nil, time.Minute, false, 0},
		{"late is counted from the beginning", late, 0, false, 0}, {"late again", late, 0, false, 0}, {"open still", nil, 0, false, 0},
		{"an answer", nil, 0, false, 0},
		{"refused at once", broken, 0, false, Wasteful - 1}, {"refused after much", broken, 0, false, Wasteful}, {"and again", broken, 0, false, 2 * Wasteful}, {"late", late, 0, false, 0}, {"it rests", nil, 0, true, 0},
	}
	for _, s := range steps {
		now = now.Add(s.pass)
		if refused := call(s.err, s.wasted); refused != s.refused {
			t.Fatalf("%s: refused is %t", s.name, refused)
		}
	}
	// Of many who come after the rest, one is let through.
	for range 3 {
		call(late, 0)
	}
	now = now.Add(time.Hour)
	if err := b.Enter(); err != nil || !b.Open() {
		t.Fatalf("the one: %v", err)
	}
	if !call(nil, 0) {
		t.Error("another one beside it")
	}
	b.Leave(nil, 0)
	if call(nil, 0) || b.Open() {
		t.Error("after its answer")
	}
}
