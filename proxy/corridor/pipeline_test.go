package corridor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-gateway/proxy/corridor"
)

// call notes what a pipeline does with it.
type call struct {
	log    []string
	failed error
	stage  string
}

func (c *call) Fail(stage string, err error) {
	if c.failed == nil {
		c.failed, c.stage = err, stage
	}
}
func (c *call) Replace(stage string, err error)          { c.failed, c.stage = err, stage }
func (c *call) Took(_ string, began time.Time) time.Time { return began }
func (c *call) Now() time.Time                           { return time.Time{} }

type stage = corridor.Stage[*call]

const (
	a corridor.Fact = "a"
	b corridor.Fact = "b"
)

func noop(context.Context, *call) error { return nil }

func TestNewRefusesWrongOrders(t *testing.T) {
	for name, tt := range map[string]struct {
		given  []corridor.Fact
		stages []stage
		ok     bool
	}{
		"in order":            {nil, []stage{{Name: "1", Sets: []corridor.Fact{a}, Run: noop}, {Name: "2", Needs: []corridor.Fact{a}, Run: noop}}, true},
		"given":               {[]corridor.Fact{a}, []stage{{Name: "1", Needs: []corridor.Fact{a}, Run: noop}}, true},
		"needs what is later": {nil, []stage{{Name: "1", Needs: []corridor.Fact{a}, Run: noop}, {Name: "2", Sets: []corridor.Fact{a}, Run: noop}}, false},
		"needs its own":       {nil, []stage{{Name: "1", Needs: []corridor.Fact{a}, Sets: []corridor.Fact{a}, Run: noop}}, false},
		"needs nobody's":      {nil, []stage{{Name: "1", Needs: []corridor.Fact{b}, Run: noop}}, false},
		"set twice":           {nil, []stage{{Name: "1", Sets: []corridor.Fact{a}, Run: noop}, {Name: "2", Sets: []corridor.Fact{a}, Run: noop}}, false},
		"set though given":    {[]corridor.Fact{a}, []stage{{Name: "1", Sets: []corridor.Fact{a}, Run: noop}}, false},
		"unnamed":             {nil, []stage{{Run: noop}}, false},
		"named twice":         {nil, []stage{{Name: "1", Run: noop}, {Name: "1", Run: noop}}, false},
		"does nothing":        {nil, []stage{{Name: "1"}}, false},
	} {
		if _, err := corridor.New(tt.given, tt.stages...); (err == nil) != tt.ok {
			t.Errorf("%s: error is %v, want ok=%t", name, err, tt.ok)
		}
	}
}

// TestEveryWayToBreak breaks each half of each stage by an error and by a
// panic: the stages before settle in reverse, those after never run.
func TestEveryWayToBreak(t *testing.T) {
	broken := errors.New("broken")
	for at := range 3 {
		for _, half := range []string{"run", "settle"} {
			for _, how := range []string{"error", "panic"} {
				t.Run(fmt.Sprintf("%s of %d by %s", half, at, how), func(t *testing.T) {
					c := &call{}
					p := threeStages(t, func(i int, h string) error {
						if i != at || h != half {
							return nil
						}
						if how == "panic" {
							panic(broken)
						}
						return broken
					})
					p.Do(context.Background(), c)
					if c.failed == nil || c.stage != fmt.Sprint(at) {
						t.Fatalf("failed %v at %q, want a failure at %d", c.failed, c.stage, at)
					}
					if want := expected(at, half); !slices.Equal(c.log, want) {
						t.Errorf("went through %v, want %v", c.log, want)
					}
				})
			}
		}
	}
}

func expected(at int, half string) []string {
	last := 2
	if half == "run" {
		last = at
	}
	var want []string
	for i := range last + 1 {
		want = append(want, fmt.Sprintf("run %d", i))
	}
	for i := last; i >= 0; i-- {
		want = append(want, fmt.Sprintf("settle %d", i))
	}
	return want
}

func threeStages(t *testing.T, do func(i int, half string) error) *corridor.Pipeline[*call] {
	t.Helper()
	var stages []stage
	for i := range 3 {
		half := func(name string) func(context.Context, *call) error {
			return func(_ context.Context, c *call) error {
				c.log = append(c.log, fmt.Sprintf("%s %d", name, i))
				return do(i, name)
			}
		}
		stages = append(stages, stage{Name: fmt.Sprint(i), Run: half("run"), Settle: half("settle")})
	}
	p, err := corridor.New(nil, stages...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSettleOutlivesTheHost(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	c := &call{}
	p, err := corridor.New(nil, stage{Name: "1",
		Run: func(context.Context, *call) error { leave(); return nil },
		Settle: func(ctx context.Context, c *call) error {
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("settling has no deadline")
			}
			return ctx.Err()
		}})
	if err != nil {
		t.Fatal(err)
	}
	p.Do(ctx, c)
	if c.failed != nil {
		t.Errorf("settling was cut off with the host: %v", c.failed)
	}
}

func TestFirstFailureIsTheAnswerUnlessSettlingFails(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	c := &call{}
	p, err := corridor.New(nil,
		stage{Name: "1", Run: noop, Settle: func(context.Context, *call) error { return second }},
		stage{Name: "2", Run: func(context.Context, *call) error { return first }})
	if err != nil {
		t.Fatal(err)
	}
	p.Do(context.Background(), c)
	if !errors.Is(c.failed, second) {
		t.Errorf("answer is %v; what could not be settled must not be released as something else", c.failed)
	}
}
