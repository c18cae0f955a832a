package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/retry"
	"mcp-gateway/upstream/wire"
)

func TestTransient(t *testing.T) {
	for _, tc := range []struct {
		err error
		yes bool
	}{
		{gateway.Fail(gateway.CodeExecutionError, wire.ReasonBroken), true},
		{gateway.Fail(gateway.CodeExecutionError, wire.ReasonNoAnswer), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonRefused), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonDial), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonSession), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(http.StatusServiceUnavailable)), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(http.StatusTooManyRequests)), true},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonCircuit), false},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonBusy), false},
		{gateway.Fail(gateway.CodeUnavailable, wire.ReasonBlocked), false},
		{gateway.Fail(gateway.CodeExecutionError, wire.HTTPStatus(http.StatusInternalServerError)), false},
		{gateway.Fail(gateway.CodeExecutionError, gateway.ReasonMalformed), false},
		{gateway.Fail(gateway.CodeTimeout), false},
		{gateway.Fail(gateway.CodeCancelled), false},
		{gateway.Fail(gateway.CodeTooLarge), false},
		{gateway.Fail(gateway.CodeExecutionError), false},
		{errors.New("connection_broken"), false},
	} {
		if _, yes := retry.Transient(tc.err); yes != tc.yes {
			t.Errorf("%v: %t", tc.err, yes)
		}
	}
}

// Pauses double, within their bounds, and are not the same for all.
func TestPause(t *testing.T) {
	p := retry.Default()
	for draw, want := range map[float64][]time.Duration{
		0:   {50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond},
		0.5: {75 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond},
	} {
		p.Random = func() float64 { return draw }
		for i, d := range want {
			if got := p.Pause(i + 1); got != d {
				t.Errorf("draw %g, pause %d: %s, want %s", draw, i+1, got, d)
			}
		}
		if got := p.Pause(60); got > p.Most || got < p.Most/2 {
			t.Errorf("the 60th pause is %s", got)
		}
	}
	p.Random = rand.New(rand.NewPCG(1, 2)).Float64
	seen := map[time.Duration]bool{}
	for range 100 {
		d := p.Pause(1)
		if d < p.First/2 || d > p.First {
			t.Errorf("%s is out of bounds", d)
		}
		seen[d] = true
	}
	if len(seen) < 50 {
		t.Errorf("only %d of 100 pauses differ", len(seen))
	}
}

func TestAgain(t *testing.T) {
	broken := gateway.Fail(gateway.CodeExecutionError, wire.ReasonBroken)
	patient := gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(http.StatusTooManyRequests))
	patient.RetryAfter = 3 * time.Second
	for name, tc := range map[string]struct {
		err  error
		n    int
		left time.Duration // of the caller's time; 0 = no bound
		want bool
		took time.Duration
	}{
		"the first":                 {broken, 1, 0, true, 100 * time.Millisecond},
		"the second":                {broken, 2, 0, true, 200 * time.Millisecond},
		"no try is left":            {broken, 3, 0, false, 0},
		"enough time":               {broken, 1, time.Second, true, 100 * time.Millisecond},
		"not enough time":           {broken, 1, 100 * time.Millisecond, false, 0},
		"it wants to rest":          {patient, 1, 0, true, 3 * time.Second},
		"it wants to rest too long": {patient, 1, 2 * time.Second, false, 0},
		"of no such class":          {gateway.Fail(gateway.CodeTimeout), 1, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := retry.Default()
				p.Random = func() float64 { return 1 }
				ctx := t.Context()
				if tc.left > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.left)
					defer cancel()
				}
				began := time.Now()
				if got := p.Again(ctx, tc.n, tc.err); got != tc.want || time.Since(began) != tc.took {
					t.Errorf("%t after %s, want %t after %s", got, time.Since(began), tc.want, tc.took)
				}
			})
		})
	}
}

func TestAgainEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := retry.Default()
		ctx, cancel := context.WithCancel(t.Context())
		context.AfterFunc(ctx, func() {})
		go func() {
			time.Sleep(time.Millisecond)
			cancel()
		}()
		if p.Again(ctx, 1, gateway.Fail(gateway.CodeExecutionError, wire.ReasonBroken)) {
			t.Error("tried for a caller who left")
		}
	})
}
