package upstream

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
	b := &breaker{after: 3, rest: time.Minute, now: func() time.Time { return now }}
	late, gone, broken := gateway.Fail(gateway.CodeTimeout), gateway.Fail(gateway.CodeCancelled), gateway.Fail(gateway.CodeExecutionError)
	call := func(err error) (refused bool) {
		t.Helper()
		if e := b.enter(); e != nil {
			var coded *gateway.Error
			if !errors.As(e, &coded) || coded.Code != gateway.CodeUnavailable || !slices.Equal(coded.Reasons, []gateway.Reason{wire.ReasonCircuit}) || coded.RetryAfter < time.Second {
				t.Fatalf("refused by %+v", e)
			}
			return true
		}
		b.leave(err)
		return false
	}
	steps := []struct {
		name    string
		err     error // what becomes of the call; nil = an answer
		pass    time.Duration
		refused bool
	}{
		{"late", late, 0, false}, {"late again", late, 0, false},
		{"an answer between them", nil, 0, false},
		{"late", late, 0, false}, {"late again", late, 0, false},
		{"a failure is an answer too", broken, 0, false},
		{"late", late, 0, false}, {"late again", late, 0, false},
		{"who left tells nothing", gone, 0, false},
		{"late for the third time", late, 0, false},
		{"while it rests", nil, 0, true}, {"at the end of its rest", nil, time.Minute - 1, true},
		{"one is tried, who leaves", gone, 1, false},
		{"one is tried, and is late", late, 0, false},
		{"it rests again", nil, 0, true},
		{"one is tried, and answered", nil, time.Minute, false},
		{"late is counted from the beginning", late, 0, false}, {"late again", late, 0, false}, {"open still", nil, 0, false},
	}
	for _, s := range steps {
		now = now.Add(s.pass)
		if refused := call(s.err); refused != s.refused {
			t.Fatalf("%s: refused is %t", s.name, refused)
		}
	}
	// Of many who come after the rest, one is let through.
	for range 3 {
		call(late)
	}
	now = now.Add(time.Hour)
	if err := b.enter(); err != nil || !b.open() {
		t.Fatalf("the one: %v", err)
	}
	if !call(nil) {
		t.Error("another one beside it")
	}
	b.leave(nil)
	if call(nil) || b.open() {
		t.Error("after its answer")
	}
}
