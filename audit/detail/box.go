package detail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcp-gateway/audit"
)

// How much waits to be kept at most, and how often it is.
const (
	mostWaiting = 4096
	mostBytes   = 16 << 20
	flushEvery  = 100 * time.Millisecond
	sweepEvery  = time.Minute
	lastTime    = 5 * time.Second // for what waits when the gateway stops
)

// ErrLost says that arguments were not kept because too many waited.
var ErrLost = errors.New("detail: not kept, too many waited")

// Options are what a Box works with. All are required.
type Options struct {
	Ring  Ring
	Store Store
	For   time.Duration // how long each is kept
	Clock func() time.Time
	Log   func(error) // is told what was not kept
}

// Box keeps arguments off the path of calls. A nil *Box keeps nothing, for nothing.
type Box struct {
	Options
	mu      sync.Mutex
	waiting []Kept
	bytes   int
	lost    uint64
}

// New returns a Box.
func New(o Options) *Box { return &Box{Options: o} }

// Keep takes a call's arguments, encrypted at once: plain ones never wait. It does
// not block.
func (b *Box) Keep(action audit.ID, arguments []byte) {
	if b == nil || len(arguments) == 0 {
		return
	}
	k := Seal(b.Ring, action, b.Clock().Add(b.For), arguments)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) >= mostWaiting || b.bytes+len(k.Sealed) > mostBytes {
		b.lost++
		return
	}
	b.waiting, b.bytes = append(b.waiting, k), b.bytes+len(k.Sealed)
}

// Run keeps what waits and deletes what has expired, until ctx ends; then it keeps
// the rest.
func (b *Box) Run(ctx context.Context) {
	if b == nil {
		return
	}
	flush, sweep := time.NewTicker(flushEvery), time.NewTicker(sweepEvery)
	defer flush.Stop()
	defer sweep.Stop()
	b.sweep(ctx)
	for {
		select {
		case <-flush.C:
			b.flush(ctx)
		case <-sweep.C:
			b.sweep(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
			defer cancel()
			b.flush(last)
			return
		}
	}
}

func (b *Box) flush(ctx context.Context) {
	b.mu.Lock()
	all, lost := slices.Clone(b.waiting), b.lost
	clear(b.waiting)
	b.waiting, b.bytes, b.lost = b.waiting[:0], 0, 0
	b.mu.Unlock()
	if lost > 0 {
		b.Log(fmt.Errorf("%w: %d", ErrLost, lost))
	}
	if len(all) == 0 {
		return
	}
	if err := b.Store.Keep(ctx, all); err != nil {
		b.Log(fmt.Errorf("detail: %d not kept: %w", len(all), err))
	}
}

func (b *Box) sweep(ctx context.Context) {
	if _, err := b.Store.Sweep(ctx, b.Clock()); err != nil && ctx.Err() == nil {
		b.Log(fmt.Errorf("detail: what has expired is not deleted: %w", err))
	}
}
