package corridor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"mcp-gateway/gateway"
)

// Fact names something that a stage has established about a call. Facts exist
// to prove the order of stages when a pipeline is built; the data itself lies
// in the fields of Call.
type Fact string

// Call is what a pipeline needs of the thing that passes through it.
type Call interface {
	// Fail ends the call: the error is its answer, unless it has failed before.
	Fail(stage string, err error)
	// Replace overrules the call's answer: what could not be settled is not
	// released.
	Replace(stage string, err error)
	// Took notes that a stage began at a time and has ended, and returns now.
	Took(stage string, began time.Time) time.Time
	// Now reads the call's clock.
	Now() time.Time
}

// Stage is one room of the corridor.
type Stage[C Call] struct {
	Name  string
	Needs []Fact // established by stages before this one
	Sets  []Fact // established when Run returns nil

	// Run does the stage's work. An error ends the call; nothing after the
	// stage runs.
	Run func(ctx context.Context, c C) error

	// Settle, if not nil, runs once Run was entered, however the call ended, in
	// reverse order of the stages. Its context outlives the host and has a
	// deadline. An error from Settle replaces the call's answer.
	Settle func(ctx context.Context, c C) error
}

// Pipeline is a sequence of stages whose order has been proved.
type Pipeline[C Call] struct{ stages []Stage[C] }

// patience is how long all Settles of one call may take together.
const patience = 5 * time.Second

// New proves that every stage finds the facts that it needs: each must
// be given, or set by a stage before it. It also refuses unnamed and repeated
// stages, stages that do nothing, and facts set twice.
func New[C Call](given []Fact, stages ...Stage[C]) (*Pipeline[C], error) {
	known := make(map[Fact]string, len(given)+len(stages))
	for _, f := range given {
		known[f] = "given"
	}
	names := make(map[string]bool, len(stages))
	var faults []error
	for _, s := range stages {
		if s.Name == "" || names[s.Name] {
			faults = append(faults, fmt.Errorf("stage %q: name missing or repeated", s.Name))
		}
		names[s.Name] = true
		if s.Run == nil && s.Settle == nil {
			faults = append(faults, fmt.Errorf("stage %q does nothing", s.Name))
		}
		for _, f := range s.Needs {
			if known[f] == "" {
				faults = append(faults, fmt.Errorf("stage %q needs %q, which no stage before it sets", s.Name, f))
			}
		}
		for _, f := range s.Sets {
			if by := known[f]; by != "" {
				faults = append(faults, fmt.Errorf("stage %q sets %q, which is set already (%s)", s.Name, f, by))
			}
			known[f] = s.Name
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return &Pipeline[C]{stages: stages}, nil
}

// Stages returns the names in order, for docs and events.
func (p *Pipeline[C]) Stages() []string {
	names := make([]string, len(p.stages))
	for i := range p.stages {
		names[i] = p.stages[i].Name
	}
	return names
}

// Do takes the call through all stages and settles those that ran. A panic in
// a stage is an internal error of this call and of nothing else.
func (p *Pipeline[C]) Do(ctx context.Context, c C) {
	entered := 0
	began := c.Now()
	for i := range p.stages {
		s := &p.stages[i]
		entered++
		if s.Run == nil {
			continue
		}
		err := contain(ctx, c, s.Run)
		began = c.Took(s.Name, began)
		if err != nil {
			c.Fail(s.Name, err)
			break
		}
	}
	p.settle(ctx, c, entered)
}

func (p *Pipeline[C]) settle(ctx context.Context, c C, entered int) {
	var settling *grace
	for i := entered - 1; i >= 0; i-- {
		s := &p.stages[i]
		if s.Settle == nil {
			continue
		}
		if settling == nil {
			settling = newGrace(ctx, patience)
			defer settling.over()
		}
		if err := contain(settling, c, s.Settle); err != nil {
			c.Replace(s.Name, err)
		}
	}
}

// contain runs one half of a stage and turns a panic into an error.
func contain[C Call](ctx context.Context, c C, run func(context.Context, C) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = gateway.Because(gateway.CodeInternal, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	return run(ctx, c)
}
