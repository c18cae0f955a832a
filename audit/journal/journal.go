package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

const (
	segmentBytes = 64 << 20         // a segment ends at the first event beyond
	backlogBytes = 8 << 20          // encoded events that may wait for a slow disk
	openDeadline = 10 * time.Second // for the events that Open itself writes
)

// Writer names one opening of the journal.
type Writer = folder.Writer

// Options say how a journal is opened.
type Options struct {
	Replica      audit.Ident      // required: the id of this replica
	Build        audit.Version    // for gateway.started
	Label        audit.Word       // of gateway.started and gateway.stopped; cli: a command, no gateway
	Now          func() time.Time // nil = time.Now
	SegmentBytes int64            // 0 = 64 MiB
	Seal         *Seal            // how checkpoints are made; nil = there are none

	create func(path string) (file, error) // nil = a real file; tests inject faults
}

// Journal is one writer. It is safe for concurrent use.
type Journal struct {
	root   string // the journal's folder
	dir    string // this writer's folder
	self   Writer
	now    func() time.Time
	limit  int64
	label  audit.Word
	create func(path string) (file, error)
	lock   *folder.Lock
	sealer *sealer // nil: no checkpoints

	kick, syncKick chan struct{} // capacity 1: there is something to write, to sync
	ended          chan struct{} // closed when both goroutines are done
	answers        sync.Pool     // chan error of capacity 1

	mu     sync.Mutex // the chain and what waits to be written
	chain  chain
	queue  batch
	spare  batch
	closed bool
	broken error // of the last write or sync; nil: it succeeded

	syncMu   sync.Mutex // one sync at a time, and none while segments change
	current  segment    // the committer's; replaced under syncMu
	written  chain      // the committer's: the last event that is whole in a file
	open     openings
	unsynced []record // written, not yet synced (mu)
	answered []record // spare of unsynced (syncMu)
	spoiled  bool     // a sync failed: the segment's promises are void (mu)
	fsyncs   uint64   // how many fsyncs there were (syncMu)
}

// chain is the end of the chain, encoded if not yet written.
type chain struct {
	seq  uint64
	hash audit.Hash
	id   audit.ID
}

// record is one encoded event and who waits for it.
type record struct {
	end    int   // of its line in the batch
	at     chain // the chain after it
	disk   bool  // answer after the sync, not after the write
	turn   turn  // what it does to its action
	action audit.ID
	answer chan error // nil: nobody waits
}

// batch is what goes to the file in one write.
type batch struct {
	bytes   []byte
	records []record
}

// Open begins a new writer under dir: it takes the next boot number, chains
// gateway.started to the replica's boot before, and closes what dead writers
// left open. Errors are those of the file system.
func Open(dir string, opts Options) (*Journal, error) {
	if !opts.Replica.Valid() || opts.Replica[0] == '.' {
		return nil, fmt.Errorf("journal: bad replica id %q", opts.Replica)
	}
	if err := folder.MakeDir(dir); err != nil {
		return nil, err
	}
	boots, err := folder.LockBoots(dir)
	if err != nil {
		return nil, err
	}
	defer boots.Unlock()
	j, link, err := begin(dir, opts)
	if err != nil {
		return nil, err
	}
	started := audit.Event{Type: audit.GatewayStarted, Build: opts.Build, Label: opts.Label}
	if link.Seq > 0 {
		started.OfReplica, started.OfBoot, started.OfSeq = link.Writer.Replica, link.Writer.Boot, link.Seq
		j.chain.hash, j.written.hash = link.Hash, link.Hash
	}
	j.start()
	ctx, cancel := context.WithTimeout(context.Background(), openDeadline)
	defer cancel()
	if _, err = j.Append(ctx, &started, audit.Disk); err == nil {
		err = j.settleDead()
	}
	if err != nil {
		return nil, errors.Join(err, j.abandon(ctx))
	}
	j.startSealer()
	return j, nil
}

// begin makes the writer's folder, lock and first segment. The caller holds the
// lock on boots.
func begin(dir string, opts Options) (*Journal, folder.Head, error) {
	ws, err := folder.Writers(dir)
	if err != nil {
		return nil, folder.Head{}, err
	}
	link, _, err := folder.Predecessor(dir, ws, opts.Replica)
	if err != nil {
		return nil, folder.Head{}, err
	}
	self := Writer{Replica: opts.Replica, Boot: 1}
	if len(ws) > 0 {
		self.Boot = ws[len(ws)-1].Boot + 1
	}
	j := &Journal{
		root: dir, dir: filepath.Join(dir, self.String()), self: self,
		now: opts.Now, limit: opts.SegmentBytes, create: opts.create, label: opts.Label,
		kick: make(chan struct{}, 1), syncKick: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if j.now == nil {
		j.now = time.Now
	}
	if j.limit == 0 {
		j.limit = segmentBytes
	}
	if j.create == nil {
		j.create = createFile
	}
	if opts.Seal != nil {
		j.sealer = &sealer{Seal: *opts.Seal, kick: make(chan struct{}, 1), ended: make(chan struct{})}
	}
	j.answers.New = func() any { return make(chan error, 1) }
	if err := folder.MakeDir(j.dir); err != nil {
		return nil, folder.Head{}, err
	}
	if j.lock, err = folder.Enter(dir, self); err != nil {
		return nil, folder.Head{}, err
	}
	if j.current, err = j.newSegment(1); err != nil {
		return nil, folder.Head{}, errors.Join(err, j.lock.Unlock())
	}
	return j, link, nil
}

// Writer names this writer.
func (j *Journal) Writer() Writer { return j.self }

// Append gives the event its id, time, sequence and link, and returns once it
// is durable by its class. It sets those fields in e and keeps no reference to e.
//
// An error is a *gateway.Error with CodeAuditUnavailable: the write failed, or
// ctx ended first. After the latter the event may still come to stand in the
// journal. Whoever did not send a call for that reason says so by a
// tool.refused of the same action; else the next writer calls it an orphan.
func (j *Journal) Append(ctx context.Context, e *audit.Event, class audit.Durability) (audit.Position, error) {
	answer := j.answers.Get().(chan error)
	pos, err := j.enqueue(e, class != audit.Process, answer)
	if err != nil {
		j.answers.Put(answer)
		return audit.Position{}, unavailable(err)
	}
	select {
	case err = <-answer:
		j.answers.Put(answer)
	case <-ctx.Done():
		err = ctx.Err() // the channel is left to the one who will answer
	}
	if err != nil {
		return audit.Position{}, unavailable(err)
	}
	return pos, nil
}

// ErrClosed and ErrBacklog are causes of CodeAuditUnavailable.
var (
	ErrClosed  = errors.New("journal: closed")
	ErrBacklog = errors.New("journal: too many events wait for the disk")
)

// enqueue encodes the event at the end of the chain.
func (j *Journal) enqueue(e *audit.Event, disk bool, answer chan error) (audit.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return audit.Position{}, ErrClosed
	case len(j.queue.bytes) > backlogBytes:
		return audit.Position{}, ErrBacklog
	}
	j.encode(e, disk, answer)
	wake(j.kick)
	return audit.Position{Replica: j.self.Replica, Boot: j.self.Boot, Seq: e.Seq, Hash: j.chain.hash}, nil
}

// encode puts the event into the queue. The caller holds mu.
func (j *Journal) encode(e *audit.Event, disk bool, answer chan error) {
	now := j.now()
	e.Replica, e.Boot = j.self.Replica, j.self.Boot
	e.Seq, e.Prev = j.chain.seq+1, j.chain.hash
	e.Time, e.ID = now, j.chain.id.Next(now)
	start := len(j.queue.bytes)
	j.queue.bytes = audit.AppendJSON(j.queue.bytes, e)
	j.chain = chain{seq: e.Seq, hash: folder.HashOf(j.queue.bytes[start:]), id: e.ID}
	j.queue.bytes = append(j.queue.bytes, '\n')
	j.queue.records = append(j.queue.records, record{len(j.queue.bytes), j.chain, disk, turnOf(e), e.Action, answer})
}

// Err returns why the last write or sync failed, nil if it succeeded: whether the
// next call will be put on record is not known, but likely.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

// Close writes gateway.stopped, waits until it is on disk or ctx ends, and ends
// the writer.
func (j *Journal) Close(ctx context.Context) error {
	_, err := j.Append(ctx, &audit.Event{Type: audit.GatewayStopped, Label: j.label}, audit.Disk)
	return errors.Join(err, j.abandon(ctx))
}

// abandon ends the writer without a word. When ctx ends first, as with a disk
// that hangs, file and lock are left to the end of the process.
func (j *Journal) abandon(ctx context.Context) error {
	j.mu.Lock()
	again := j.closed
	j.closed = true
	if !again {
		close(j.kick)
	}
	j.mu.Unlock()
	if again {
		return ErrClosed
	}
	select {
	case <-j.ended:
		return errors.Join(j.stopSealer(ctx), j.current.file.Close(), j.lock.Unlock())
	case <-ctx.Done():
		return ctx.Err()
	}
}

func unavailable(err error) error {
	e := gateway.Because(gateway.CodeAuditUnavailable, err)
	e.Stage = "journal"
	return e
}

// wake signals without waiting: a signal that is already there will do.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// file is what the journal needs of a segment's file.
type file interface {
	Write(p []byte) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// createFile makes a file that must not be there yet.
func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}
