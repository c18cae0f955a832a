package index

import (
	"context"
	"database/sql"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index/file"
	"mcp-gateway/audit/journal/folder"
)

const (
	batchEvents = 10_000 // events per transaction, at most
	cachedWords = 50_000 // words kept in memory; beyond, they are looked up again
)

// progress is how far each writer was read.
type progress struct {
	cursor folder.Cursor
	states map[folder.Writer]*state
}

// state is what else is kept of a writer.
type state struct {
	id      int64
	clock   int64 // the last value of event.at
	done    bool  // it will never have another event
	touched bool  // read in this transaction
}

func (p *progress) done(w folder.Writer) bool {
	s := p.states[w]
	return s != nil && s.done
}

func readProgress(ctx context.Context, db *sql.DB) (*progress, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, replica, boot, segment, offset, clock, done FROM writer")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	p := &progress{folder.Cursor{}, map[folder.Writer]*state{}}
	for rows.Next() {
		var w folder.Writer
		var at folder.Place
		var s state
		if err := rows.Scan(&s.id, &w.Replica, &w.Boot, &at.Segment, &at.Offset, &s.clock, &s.done); err != nil {
			return nil, err
		}
		p.cursor[w], p.states[w] = at, &s
	}
	return p, rows.Err()
}

// builder turns events into rows, and remembers words and progress between runs.
type builder struct {
	db      *sql.DB
	journal string

	*progress // nil: to be read from the file
	words     map[string]int64

	tx             *sql.Tx
	insert, settle *sql.Stmt
	events         int                // in this transaction
	rows           [][]any            // of it that wait to be written
	open           map[audit.ID][]any // those of them that have no end yet, by action
	pages          file.Pages

	tell        func(read, total uint64) // is told how far a reading has come; nil: nobody
	read, total uint64                   // bytes
}

// forget drops what is remembered and what is not committed.
func (b *builder) forget() {
	if b.tx != nil {
		b.tx.Rollback()
	}
	b.tx, b.progress, b.words, b.events, b.rows, b.open = nil, nil, nil, 0, nil, nil
}

// run reads the journal to its end. If the journal lost events that the index
// holds, the index begins anew.
func (b *builder) run(ctx context.Context) error {
	err := b.readAll(ctx)
	if errors.Is(err, folder.ErrBehind) {
		b.forget()
		if err := reset(ctx, b.db); err != nil {
			return err
		}
		err = b.readAll(ctx)
	}
	if err == nil {
		err = b.pages.Rest(ctx, b.db)
	}
	if err != nil {
		b.forget()
	}
	return err
}

func (b *builder) readAll(ctx context.Context) error {
	if b.progress == nil {
		p, err := readProgress(ctx, b.db)
		if err != nil {
			return err
		}
		b.progress, b.words = p, map[string]int64{}
	}
	ends, err := folder.Ends(b.journal, b.done)
	if err != nil {
		return err
	}
	b.measure(ends)
	for _, w := range ends.Writers() {
		// Asked before the reading: it is made after the writer's last event.
		settled := folder.Settled(b.journal, w)
		if !settled && b.states[w] != nil && !b.cursor[w].Before(ends[w]) && !ends[w].Before(b.cursor[w]) {
			continue
		}
		if err := b.readWriter(ctx, w); err != nil {
			return err
		}
		b.states[w].done = settled
	}
	if b.tell != nil && b.total > 0 {
		b.tell(b.total, b.total)
	}
	return b.commit(ctx)
}

// measure says how much there is to read, if anyone wants to know.
func (b *builder) measure(ends folder.Cursor) {
	b.read, b.total = 0, 0
	if b.tell == nil {
		return
	}
	for w := range ends {
		b.total += folder.BytesFrom(b.journal, w, b.cursor[w])
	}
}

// readWriter adds the writer's new events to the transaction.
func (b *builder) readWriter(ctx context.Context, w folder.Writer) error {
	if err := b.meet(ctx, w); err != nil {
		return err
	}
	return folder.ReadWriter(ctx, b.journal, w, b.cursor, func(e folder.Entry) error {
		if err := b.meet(ctx, w); err != nil {
			return err
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
		b.read += uint64(e.Next.Offset - e.Place.Offset)
		if b.events++; b.events < batchEvents {
			return nil
		}
		if b.tell != nil {
			b.tell(b.read, b.total)
		}
		b.cursor[w] = e.Next
		return b.commit(ctx)
	})
}

// meet makes sure that there is a transaction, and that the writer is known and
// will be saved with it.
func (b *builder) meet(ctx context.Context, w folder.Writer) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	if s := b.states[w]; s != nil {
		s.touched = true
		return nil
	}
	s := &state{touched: true}
	err := b.tx.QueryRowContext(ctx, `INSERT INTO writer (replica, boot, segment, offset, clock, done)
		VALUES (?, ?, 0, 0, 0, 0) RETURNING id`, string(w.Replica), int64(w.Boot)).Scan(&s.id)
	b.states[w] = s
	return err
}

func (b *builder) begin(ctx context.Context) error {
	if b.tx != nil {
		return nil
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	b.tx, b.open = tx, map[audit.ID][]any{}
	if b.insert, err = tx.PrepareContext(ctx, insertEvent); err != nil {
		return err
	}
	b.settle, err = tx.PrepareContext(ctx, settleEvent)
	return err
}

// commit makes the rows and, with them, how far the writers were read.
func (b *builder) commit(ctx context.Context) error {
	if b.tx == nil {
		return nil
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	for w, s := range b.states {
		if !s.touched {
			continue
		}
		p := b.cursor[w]
		_, err := b.tx.ExecContext(ctx, "UPDATE writer SET segment = ?, offset = ?, clock = ?, done = ? WHERE id = ?",
			p.Segment, p.Offset, s.clock, s.done, s.id)
		if err != nil {
			return err
		}
		s.touched = false
	}
	if err := b.tx.Commit(); err != nil {
		return err
	}
	b.tx, b.events, b.pages = nil, 0, file.Pages{}
	if len(b.words) > cachedWords {
		clear(b.words)
	}
	return nil
}
