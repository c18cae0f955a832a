package journal

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
)

// How often a head is signed, and how long the second place is waited for.
const (
	SealEvents   = 1000
	sealEvery    = time.Minute
	exportTime   = 10 * time.Second
	maxExporting = 4096 // notes that wait for the second place; beyond, the oldest are left out
)

// Seal says how checkpoints are made.
type Seal struct {
	Signer checkpoint.Signer
	// Export is the second place; nil for none.
	Export checkpoint.Exporter
	// Failed is told that a checkpoint could not be made or taken to the second
	// place. It is tried again with the next. nil for nobody.
	Failed func(error)
	// Every is the longest time between two checkpoints while events come; 0 = a minute.
	Every time.Duration
}

// sealer signs heads of the chain, off the path of those who append.
type sealer struct {
	Seal
	kick   chan struct{} // capacity 1: a head is due
	ended  chan struct{}
	due    []chain      // heads to be signed, by sequence (mu of the journal)
	head   chain        // the last event in a file (mu of the journal)
	asked  []chan error // who waits for a checkpoint of the present head (mu of the journal)
	last   uint64       // sequence of the last checkpoint; the sealer's own
	queue  []string
	cancel context.CancelFunc // of exports that are under way
}

// noteHeads tells the sealer which events came to stand in the file. The caller
// is the committer.
func (j *Journal) noteHeads(rs []record) {
	s := j.sealer
	if s == nil || len(rs) == 0 {
		return
	}
	j.mu.Lock()
	s.head = rs[len(rs)-1].at
	before := len(s.due)
	for _, r := range rs {
		if r.at.seq%SealEvents == 0 {
			s.due = append(s.due, r.at)
		}
	}
	due := len(s.due) > before
	j.mu.Unlock()
	if due {
		wake(s.kick)
	}
}

// startSealer begins the goroutine that signs, with the head as it is.
func (j *Journal) startSealer() {
	s := j.sealer
	if s == nil {
		return
	}
	if s.Every == 0 {
		s.Every = sealEvery
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.ended)
		tick := time.NewTicker(s.Every)
		defer tick.Stop()
		j.seal(ctx, true)
		for {
			select {
			case _, open := <-s.kick:
				asked := j.askedFor()
				err := j.seal(ctx, !open || len(asked) > 0)
				for _, answer := range asked {
					answer <- err
				}
				if !open {
					return
				}
			case <-tick.C:
				j.seal(ctx, true)
			}
		}
	}()
}

// stopSealer signs the last head, once nothing more is written. When ctx ends
// first, what is not exported yet stays in the journal's folder.
func (j *Journal) stopSealer(ctx context.Context) error {
	s := j.sealer
	if s == nil || s.cancel == nil {
		return nil
	}
	close(s.kick)
	select {
	case <-s.ended:
		s.cancel()
		return nil
	case <-ctx.Done():
		s.cancel()
		<-s.ended
		return ctx.Err()
	}
}

// ErrUnsealed says that a journal makes no checkpoints.
var ErrUnsealed = errors.New("journal: no checkpoints are made")

// Checkpoint signs the head as it is now, and returns once that stands in the
// journal. Whether the second place has taken it is not waited for.
func (j *Journal) Checkpoint(ctx context.Context) error {
	if j.sealer == nil {
		return ErrUnsealed
	}
	answer := make(chan error, 1)
	j.mu.Lock()
	closed := j.closed
	if !closed { // with the lock held: the end of the sealer is told only after that of the journal
		j.sealer.asked = append(j.sealer.asked, answer)
		wake(j.sealer.kick)
	}
	j.mu.Unlock()
	if closed {
		return ErrClosed
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *Journal) askedFor() []chan error {
	j.mu.Lock()
	defer j.mu.Unlock()
	asked := j.sealer.asked
	j.sealer.asked = nil
	return asked
}

// seal signs the heads that are due, and the present one if now is set, once
// they are on disk, and takes them to the second place. An error is one of
// making them.
func (j *Journal) seal(ctx context.Context, now bool) error {
	s := j.sealer
	heads := j.takeHeads(now)
	if len(heads) > 0 {
		if err := j.syncFor(); err != nil {
			j.putBack(heads)
			s.fail(err)
			return err
		}
	}
	for _, h := range heads {
		note := checkpoint.Sign(checkpoint.Checkpoint{
			Replica: j.self.Replica, Boot: j.self.Boot, Seq: h.seq, Hash: h.hash, Time: j.now(),
		}, s.Signer)
		if err := checkpoint.Append(folder.CheckpointPath(j.root, j.self), note); err != nil {
			s.fail(err)
			return err // the next seal covers what this one would have
		}
		s.last = h.seq
		if s.Export != nil {
			s.queue = append(s.queue, note)
		}
	}
	s.export(ctx)
	return nil
}

// takeHeads returns the heads to be signed in order, each once.
func (j *Journal) takeHeads(now bool) []chain {
	s := j.sealer
	j.mu.Lock()
	defer j.mu.Unlock()
	heads := s.due
	s.due = nil
	last := s.last
	if len(heads) > 0 {
		last = heads[len(heads)-1].seq
	}
	if now && s.head.seq > last {
		heads = append(heads, s.head)
	}
	return heads
}

func (j *Journal) putBack(heads []chain) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sealer.due = append(heads, j.sealer.due...)
}

// syncFor makes durable whatever is in the segment: a checkpoint must never
// vouch for events that a power cut could still take away.
func (j *Journal) syncFor() error {
	j.syncMu.Lock()
	defer j.syncMu.Unlock()
	return j.flush()
}

// export takes what waits to the second place, oldest first, until one fails.
func (s *sealer) export(ctx context.Context) {
	for len(s.queue) > 0 {
		limited, cancel := context.WithTimeout(ctx, exportTime)
		err := s.Export.Export(limited, s.queue[0])
		cancel()
		if err != nil {
			s.queue = s.queue[max(0, len(s.queue)-maxExporting):]
			s.fail(err)
			return
		}
		s.queue = s.queue[1:]
	}
}

func (s *sealer) fail(err error) {
	if s.Failed != nil && !errors.Is(err, context.Canceled) {
		s.Failed(err)
	}
}
