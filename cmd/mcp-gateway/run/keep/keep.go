package keep

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/detail"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/retain"
	"mcp-gateway/cmd/mcp-gateway/run/seals"
	"mcp-gateway/config"
	"mcp-gateway/keyring"
	"mcp-gateway/store/details"
)

// pruneEvery is how often the journal is looked at for what may go.
const pruneEvery = 10 * time.Minute

// Options are what a Keeper works on.
type Options struct {
	Dir     string // the journal's folder
	Journal *journal.Journal
	Index   *index.Index
	Keys    *keyring.Ring
	Export  config.Export
	Clock   func() time.Time
	Log     *zap.Logger
	Detail  config.Detail
	State   string // the state directory
}

// Keeper looks after journal and index until it is stopped.
type Keeper struct {
	Options
	retention atomic.Pointer[config.Retention]
	changed   chan struct{}

	kept *details.DB // of arguments; nil: none are kept
	box  *detail.Box
}

// New returns a Keeper that keeps every event, and arguments where they are to be kept.
func New(ctx context.Context, o Options) (*Keeper, error) {
	k := &Keeper{Options: o, changed: make(chan struct{}, 1)}
	if o.Detail.For == 0 {
		return k, nil
	}
	var err error
	if k.kept, err = details.Open(ctx, filepath.Join(o.State, details.Name)); err != nil {
		return nil, err
	}
	k.box = detail.New(detail.Options{
		Ring: o.Keys, Store: k.kept, For: o.Detail.For, Clock: o.Clock,
		Log: func(err error) { o.Log.Error("arguments were not kept", zap.Error(err)) },
	})
	return k, nil
}

// Keep takes a call's arguments, to be kept where that is configured.
func (k *Keeper) Keep(action audit.ID, arguments []byte) { k.box.Keep(action, arguments) }

// Kept returns what is kept of an action, still encrypted; detail.ErrNone if that is
// nothing.
func (k *Keeper) Kept(ctx context.Context, action audit.ID) (detail.Kept, error) {
	if k.kept == nil {
		return detail.Kept{}, detail.ErrNone
	}
	return k.kept.Get(ctx, action)
}

// Close closes what New opened; Run has ended.
func (k *Keeper) Close() error {
	if k == nil || k.kept == nil {
		return nil
	}
	return k.kept.Close()
}

// Set says from now on how long events are kept.
func (k *Keeper) Set(r config.Retention) {
	k.retention.Store(&r)
	select {
	case k.changed <- struct{}{}:
	default: // it will look anyway
	}
}

// Run builds the index behind the journal, and removes what retention lets go,
// until ctx ends. An index that stops is told: the journal goes on without.
func (k *Keeper) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		if err := k.Index.Run(ctx); err != nil {
			k.Log.Error("the audit index stopped; the journal goes on", zap.Error(err))
		}
	})
	all.Go(func() { k.pruneUntil(ctx) })
	all.Go(func() { k.box.Run(ctx) })
	all.Wait()
}

func (k *Keeper) pruneUntil(ctx context.Context) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
		case <-tick.C:
		}
		k.prune(ctx)
	}
}

func (k *Keeper) prune(ctx context.Context) {
	r := k.retention.Load()
	if r == nil || *r == (config.Retention{}) {
		return
	}
	keys := checkpoint.Keys{}
	for _, key := range k.Keys.Public(keyring.Checkpoint) {
		keys = append(keys, key)
	}
	done, err := retain.Prune(ctx, k.Dir, retain.Options{
		Age: r.Age, Size: int64(r.Size), Now: k.Clock(),
		Signer: seals.Hand{Ring: k.Keys}, Keys: keys, Export: seals.Exporters(k.Export), Record: k.record,
	})
	for _, gone := range done {
		k.Log.Info("retention removed events", zap.Stringer("writer", gone.Writer), zap.Uint64("up_to", gone.Seq),
			zap.Int("segments", gone.Segments), zap.Int64("bytes", gone.Bytes))
	}
	if err != nil && ctx.Err() == nil {
		k.Log.Error("retention kept what it should have removed", zap.Error(err))
	}
}

// record makes the event of a removal durable, under a checkpoint.
func (k *Keeper) record(ctx context.Context, e *audit.Event) error {
	if _, err := k.Journal.Append(ctx, e, audit.Disk); err != nil {
		return err
	}
	return k.Journal.Checkpoint(ctx)
}

// Seal says how the journal's checkpoints are made, and where else they go.
func Seal(ring *keyring.Ring, to config.Export, failed func(error)) *journal.Seal {
	return &journal.Seal{Signer: seals.Hand{Ring: ring}, Export: seals.Exporters(to), Failed: failed}
}
