package index

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index/cell"
	"mcp-gateway/audit/journal/folder"
)

// Of a row's columns those that its end sets lead, in the order of settleEvent.
const insertEvent = `INSERT INTO event (end_writer, end_seq, duration, outcome, code, reasons,
	at, time, type, writer, seq, uuid, action, approval, count,
	principal, approver, subject, tenant, client, method, upstream, tool, tool_ref, effect,
	state, transport, policy, definition, faults, label, noted)
	VALUES (?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?)`

const settleEvent = `UPDATE event SET end_writer = ?, end_seq = ?, duration = ?,
	outcome = ?, code = coalesce(?, code), reasons = coalesce(?, reasons)
	WHERE action = ? AND end_seq IS NULL AND type IN (SELECT id FROM word WHERE text IN ('tool.decided', 'subscription.opened'))`

// ending is how many columns an end sets, columns how many there are.
const (
	ending     = 6
	endOutcome = 3 // the last that is set whatever the end says
	columns    = 32
)

// pruneEvents takes the rows of events that retention removed.
const pruneEvents = `DELETE FROM event WHERE seq <= ? AND writer = (SELECT id FROM writer WHERE replica = ? AND boot = ?)`

// add makes the event a row, or adds it to the row of its action.
func (b *builder) add(ctx context.Context, e folder.Entry) error {
	if ev := e.Event; ev.Type == audit.AuditPruned {
		if err := b.flush(ctx); err != nil {
			return err
		}
		if _, err := b.tx.ExecContext(ctx, pruneEvents, int64(ev.OfSeq), string(ev.OfReplica), int64(ev.OfBoot)); err != nil {
			return err
		}
	}
	if cell.Settles(e.Event) {
		found, err := b.addEnd(ctx, e)
		if found || err != nil {
			return err
		}
	}
	return b.addRow(ctx, e)
}

// addEnd adds a settling event to the row of its decided one; false if there is
// none. An orphaned event is about another writer, which must be read first.
func (b *builder) addEnd(ctx context.Context, e folder.Entry) (bool, error) {
	found, err := b.update(ctx, e)
	if found || err != nil || e.Event.OfBoot == 0 {
		return found, err
	}
	of := folder.Writer{Replica: e.Event.OfReplica, Boot: e.Event.OfBoot}
	if of.Boot >= e.Writer.Boot {
		return false, nil // no orphan of ours: we close those of earlier boots only
	}
	if err := b.readWriter(ctx, of); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := b.meet(ctx, e.Writer); err != nil {
		return false, err
	}
	return b.update(ctx, e)
}

// update adds a settling event to the row of its decided one, which waits for the end of
// the batch or is in the file; false if it is neither.
func (b *builder) update(ctx context.Context, e folder.Entry) (bool, error) {
	ev := e.Event
	args := make([]any, 0, ending+1)
	args = append(args, b.states[e.Writer].id, int64(ev.Seq), ev.Duration.Microseconds())
	args, err := b.appendWords(ctx, args, string(ev.Outcome), string(ev.Code), cell.Join(ev.Reasons, ' '))
	if err != nil {
		return false, err
	}
	if row, waits := b.open[ev.Action]; waits {
		for i, value := range args {
			if i <= endOutcome || value != nil {
				row[i] = value
			}
		}
		delete(b.open, ev.Action)
		return true, nil
	}
	result, err := exec(ctx, b.settle, append(args, ev.Action[:]))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// addRow makes a row, which is written at the end of the batch: most calls end within the
// one in which they began.
func (b *builder) addRow(ctx context.Context, e folder.Entry) error {
	ev, s := e.Event, b.states[e.Writer]
	clock := ev.Time.UnixNano()
	s.clock = max(clock, s.clock+1)
	typ, err := b.word(ctx, string(ev.Type))
	if err != nil {
		return err
	}
	row := make([]any, 3, columns)
	row[2] = ev.Duration.Microseconds()
	if row, err = b.appendWords(ctx, row, string(ev.Outcome), string(ev.Code), cell.Join(ev.Reasons, ' ')); err != nil {
		return err
	}
	row = append(row, s.clock, clock, typ, s.id, int64(ev.Seq), bytes.Clone(ev.ID[:]), idOrNull(ev.Action), idOrNull(ev.Approval))
	var count any
	if ev.Count > 0 {
		count = int64(ev.Count)
	}
	row = append(row, count)
	row, err = b.appendWords(ctx, row, string(cmp.Or(ev.Principal, ev.Approver)), string(ev.Approver), string(ev.Subject), string(ev.Tenant),
		string(ev.Client), string(ev.Method), string(ev.Upstream), string(ev.Tool), string(ev.ToolRef), string(ev.Effect),
		string(ev.State), string(ev.Transport), string(ev.Policy), string(ev.Definition), cell.Join(ev.Faults, ','), string(ev.Label), cell.Noted(ev.Obligations))
	if err != nil {
		return err
	}
	b.rows = append(b.rows, row)
	if ev.Type == audit.ToolDecided || ev.Type == audit.SubscriptionOpened {
		b.open[ev.Action] = row
	}
	return nil
}

// idOrNull is an id in bytes of its own, since events are valid for a moment only.
func idOrNull(id audit.ID) any {
	if id.IsZero() {
		return nil
	}
	return id[:]
}

// flush writes the rows that wait.
func (b *builder) flush(ctx context.Context) error {
	for _, row := range b.rows {
		if _, err := exec(ctx, b.insert, row); err != nil {
			return err
		}
	}
	clear(b.rows)
	clear(b.open)
	b.rows = b.rows[:0]
	return nil
}

// exec runs a statement to its end. Under a context that can end, the driver
// would spend a goroutine on each; the reading ends with ctx, between events.
func exec(ctx context.Context, s *sql.Stmt, args []any) (sql.Result, error) {
	return s.ExecContext(context.WithoutCancel(ctx), args...)
}

// appendWords appends the numbers of the words, nil for an empty one.
func (b *builder) appendWords(ctx context.Context, args []any, texts ...string) ([]any, error) {
	for _, text := range texts {
		if text == "" {
			args = append(args, nil)
			continue
		}
		id, err := b.word(ctx, text)
		if err != nil {
			return nil, err
		}
		args = append(args, id)
	}
	return args, nil
}

// word returns the number of the word, which it gets when it is new.
func (b *builder) word(ctx context.Context, text string) (int64, error) {
	if id, ok := b.words[text]; ok {
		return id, nil
	}
	var id int64
	err := b.tx.QueryRowContext(ctx, "SELECT id FROM word WHERE text = ?", text).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = b.tx.QueryRowContext(ctx, "INSERT INTO word (text) VALUES (?) RETURNING id", text).Scan(&id)
	}
	if err != nil {
		return 0, err
	}
	b.words[text] = id
	return id, nil
}
