package record

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// No event waits longer than its limit, nor much shorter; and many share one timer.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w waits
		const limit = 800 * time.Millisecond
		made := map[context.Context]bool{}
		for range 100 {
			ctx := w.within(limit)
			made[ctx] = true
			end, ok := ctx.Deadline()
			if left := time.Until(end); !ok || left > limit || left < limit-limit/fraction || ctx.Err() != nil {
				t.Fatalf("%v are left, %v", left, ctx.Err())
			}
			time.Sleep(10 * time.Millisecond)
		}
		if len(made) != 10 {
			t.Errorf("%d contexts in ten fractions", len(made))
		}
		other := w.within(2 * limit)
		if end, _ := other.Deadline(); time.Until(end) != 2*limit {
			t.Errorf("another limit is not kept: %v", time.Until(end))
		}
		derived, cancel := context.WithCancel(other)
		defer cancel()
		<-derived.Done()
		if !errors.Is(other.Err(), context.DeadlineExceeded) || !errors.Is(derived.Err(), context.DeadlineExceeded) {
			t.Errorf("%v, %v", other.Err(), derived.Err())
		}
		time.Sleep(limit) // until no timer is left
	})
}
