package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxBatch bounds how many changes share one commit.
const maxBatch = 128

// ErrClosed is the cause of changes after Close.
var ErrClosed = errors.New("the state database is closed")

// committer makes changes of many callers durable together: those that come while
// a commit is under way go into the next one. Each change stands or falls alone.
type committer struct {
	store *Store
	queue chan *change
	ended chan struct{}

	mu     sync.Mutex
	closed bool
}

// change is one thing to write.
type change struct {
	do      func(ctx context.Context, tx *sql.Tx) error
	durable bool // must survive the death of the machine, not of the process alone
	err     error
	done    chan struct{}
}

func startCommitter(s *Store) *committer {
	c := &committer{store: s, queue: make(chan *change, maxBatch), ended: make(chan struct{})}
	go c.run()
	return c
}

// commit makes one change and returns once it is written. When ctx ends first the
// change may still come to be made.
func (s *Store) commit(ctx context.Context, durable bool, do func(context.Context, *sql.Tx) error) error {
	ch := &change{do: do, durable: durable, done: make(chan struct{})}
	if err := s.commits.enter(ctx, ch); err != nil {
		return err
	}
	select {
	case <-ch.done:
		return ch.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *committer) enter(ctx context.Context, ch *change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	select {
	case c.queue <- ch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close waits for what is queued.
func (c *committer) close() {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	if !again {
		close(c.queue)
	}
	c.mu.Unlock()
	<-c.ended
}

func (c *committer) run() {
	defer close(c.ended)
	for first := range c.queue {
		c.write(c.gather([]*change{first}))
	}
}

// gather adds what is queued by now.
func (c *committer) gather(batch []*change) []*change {
	for len(batch) < maxBatch {
		select {
		case next, ok := <-c.queue:
			if !ok {
				return batch
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// write commits a batch. A commit that fails fails for all of it.
func (c *committer) write(batch []*change) {
	err := c.store.inBatch(context.Background(), batch)
	for _, ch := range batch {
		if err != nil {
			ch.err = err
		}
		close(ch.done)
	}
}

// inBatch runs the changes in one transaction, each in a savepoint of its own.
func (s *Store) inBatch(ctx context.Context, batch []*change) error {
	durable := false
	for _, ch := range batch {
		durable = durable || ch.durable
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // back to the pool: nothing is lost
	// FULL: fsync at the commit. NORMAL: the kernel has it.
	if _, err := conn.ExecContext(ctx, map[bool]string{true: "PRAGMA synchronous = FULL", false: "PRAGMA synchronous = NORMAL"}[durable]); err != nil {
		return err
	}
	var tx *sql.Tx
	err = patiently(ctx, func() (err error) {
		tx, err = conn.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	for _, ch := range batch {
		if err := alone(ctx, tx, ch); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// alone makes one change; its own failure stays its own.
func alone(ctx context.Context, tx *sql.Tx, ch *change) error {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	end := "RELEASE one"
	if ch.err = ch.do(ctx, tx); ch.err != nil {
		end = "ROLLBACK TO one; RELEASE one"
	}
	_, err := tx.ExecContext(ctx, end)
	return err
}
