package corridor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type key struct{}

// What is settled has the values of its call and a time of its own, whether anybody
// waits for that or not.
func TestGrace(t *testing.T) {
	for name, wait := range map[string]func(*grace) error{
		"nobody waits":   func(g *grace) error { time.Sleep(time.Minute); return g.Err() },
		"somebody waits": func(g *grace) error { <-g.Done(); return g.Err() },
		"something derived waits": func(g *grace) error {
			ctx, cancel := context.WithTimeout(g, time.Hour)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGrace(gone(t), time.Minute)
				if err := g.Err(); err != nil || g.Value(key{}) != "v" {
					t.Fatalf("%v, %v", err, g.Value(key{}))
				}
				began := time.Now()
				if err := wait(g); !errors.Is(err, context.DeadlineExceeded) || g.Value(key{}) != "v" {
					t.Errorf("%v, %v", err, g.Value(key{}))
				}
				if took := time.Since(began); took != time.Minute {
					t.Errorf("it took %v", took)
				}
				g.over()
			})
		})
	}
}

// gone is the context of a host that has left.
func gone(t *testing.T) context.Context {
	host, leave := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
	leave()
	return host
}

// Its end is told to whoever waits.
func TestGraceIsOver(t *testing.T) {
	g := newGrace(gone(t), time.Hour)
	g.over() // nobody waits
	ctx, cancel := context.WithCancel(g)
	defer cancel()
	g.over()
	<-ctx.Done()
	if !errors.Is(g.Err(), context.Canceled) {
		t.Errorf("%v", g.Err())
	}
}
