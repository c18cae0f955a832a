package index

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// defaultLimit is the number of rows where the filter names none.
const defaultLimit = 100

// Query waits until the index holds all that stood in the journal, and returns
// the rows that the filter admits.
func (x *Index) Query(ctx context.Context, f audit.Filter) ([]audit.Row, error) {
	if err := x.CatchUp(ctx); err != nil {
		return nil, err
	}
	where, args, err := x.where(ctx, f)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // it asks for a word that no event has
	}
	if err != nil {
		return nil, err
	}
	order := "DESC"
	if f.Order == audit.OldestFirst {
		order = "ASC"
	}
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	return x.rows(ctx, where+" ORDER BY at "+order+" LIMIT ?", append(args, f.Limit))
}

// rows returns the rows of a condition.
func (x *Index) rows(ctx context.Context, condition string, args []any) ([]audit.Row, error) {
	found, err := x.stored(ctx, condition, args)
	if err != nil {
		return nil, err
	}
	return x.resolved(ctx, found)
}

// stored returns the rows of a condition as they stand in the file.
func (x *Index) stored(ctx context.Context, condition string, args []any) ([]stored, error) {
	rows, err := x.db.QueryContext(ctx, selectEvents+condition, args...)
	if err != nil {
		return nil, err
	}
	return scanRows(rows)
}

// resolved returns them with words in place of numbers.
func (x *Index) resolved(ctx context.Context, found []stored) ([]audit.Row, error) {
	r := resolver{ctx: ctx, db: x.db, words: map[int64]string{}, writers: map[int64]audit.Position{}}
	out := make([]audit.Row, 0, len(found))
	for i := range found {
		out = append(out, r.row(&found[i]))
	}
	return out, r.err
}

// Event returns the row of the event with that id, or none: its settling event
// has no row of its own.
func (x *Index) Event(ctx context.Context, id audit.ID) ([]audit.Row, error) {
	if err := x.CatchUp(ctx); err != nil {
		return nil, err
	}
	// An id begins with its millisecond; what lies near is looked at first, since
	// ids have no index of their own.
	at := id.Time()
	near := []any{id[:], at.Add(-time.Second).UnixNano(), at.Add(time.Second).UnixNano()}
	found, err := x.rows(ctx, " WHERE uuid = ? AND at >= ? AND at < ? LIMIT 1", near)
	if len(found) == 0 && err == nil {
		found, err = x.rows(ctx, " WHERE uuid = ? LIMIT 1", near[:1])
	}
	return found, err
}

// where returns the conditions with their arguments, sql.ErrNoRows if it names a
// word that the index does not know.
func (x *Index) where(ctx context.Context, f audit.Filter) (string, []any, error) {
	var terms []string
	var args []any
	for _, c := range []struct{ column, text string }{
		{"principal", string(f.Principal)}, {"tool", string(f.Tool)}, {"upstream", string(f.Upstream)},
		{"effect", string(f.Effect)}, {"type", string(f.Type)}, {"code", string(f.Code)}, {"tenant", string(f.Tenant)},
		{"subject", string(f.Subject)}, {"client", string(f.Client)}, {"outcome", string(f.Outcome)}, {"state", string(f.State)},
	} {
		if c.text == "" {
			continue
		}
		if prefix, ok := strings.CutSuffix(c.text, "*"); ok {
			terms = append(terms, c.column+" IN (SELECT id FROM word WHERE text >= ? AND text < ?)")
			args = append(args, prefix, prefix+"\x7f")
			continue
		}
		var id int64
		if err := x.db.QueryRowContext(ctx, "SELECT id FROM word WHERE text = ?", c.text).Scan(&id); err != nil {
			return "", nil, err
		}
		terms, args = append(terms, c.column+" = ?"), append(args, id)
	}
	if !f.Since.IsZero() {
		terms, args = append(terms, "at >= ?"), append(args, f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		terms, args = append(terms, "at < ?"), append(args, f.Until.UnixNano())
	}
	if !f.Action.IsZero() {
		terms, args = append(terms, "action = ?"), append(args, f.Action[:])
	}
	if !f.Approval.IsZero() {
		terms, args = append(terms, "approval = ?"), append(args, f.Approval[:])
	}
	if f.Replica != "" {
		terms, args = append(terms, "writer IN (SELECT id FROM writer WHERE replica = ?)"), append(args, string(f.Replica))
	}
	if f.Reason != "" {
		terms = append(terms, "(reasons IN ("+wordsWith+") OR noted IN ("+wordsWith+") OR noted IN ("+wordsWith+") OR noted IN ("+wordsWith+"))")
		code := string(f.Reason) + " "
		args = append(args, " "+code, " "+code, " warned."+code, " watched."+code)
	}
	terms, args = oneOf(terms, args, "principal", f.People)
	terms, args = oneOf(terms, args, "approver", f.Approvers)
	terms, args = oneOf(terms, args, "type", f.Types)
	if f.Refused {
		terms, args = oneOf(terms, args, "type", audit.Refusals())
	}
	if f.Unresolved {
		terms = append(terms, unresolved)
	}
	if len(terms) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args, nil
}

// wordsWith are the lists, as words, that have a word among them.
const wordsWith = "SELECT id FROM word WHERE instr(' ' || text || ' ', ?) > 0"

// unresolved admits actions whose outcome is unknown and was never told since.
const unresolved = `outcome = (SELECT id FROM word WHERE text = 'outcome_unknown') AND NOT EXISTS (SELECT 1 FROM event later
	WHERE later.action = event.action AND later.type = (SELECT id FROM word WHERE text = 'ledger.reconciled'))`

// oneOf admits any of some words; none admit all.
func oneOf[T ~string](terms []string, args []any, column string, words []T) ([]string, []any) {
	if len(words) == 0 {
		return terms, args
	}
	for _, w := range words {
		args = append(args, string(w))
	}
	return append(terms, column+" IN (SELECT id FROM word WHERE text IN (?"+strings.Repeat(",?", len(words)-1)+"))"), args
}

const selectEvents = `SELECT time, type, uuid, action, writer, seq, duration, count, end_writer, end_seq,
	principal, approver, subject, tenant, client, method, upstream, tool, tool_ref, effect, reasons, code, outcome,
	state, transport, policy, label, faults, definition, approval, at, id
	FROM event`

// stored is a row as it stands in the file, its words still numbers.
type stored struct {
	time, typ                 int64
	id, action                []byte
	writer, seq, duration     int64
	count, endWriter, endSeq  sql.NullInt64
	principal, approver       sql.NullInt64
	subject, tenant           sql.NullInt64
	client, method, upstream  sql.NullInt64
	tool, toolRef, effect     sql.NullInt64
	reasons, code, outcome    sql.NullInt64
	state, transport, policy  sql.NullInt64
	label, faults, definition sql.NullInt64
	approval                  []byte
	at, row                   int64 // its place among all rows
}

func scanRows(rows *sql.Rows) ([]stored, error) {
	defer rows.Close()
	var all []stored
	for rows.Next() {
		var s stored
		err := rows.Scan(&s.time, &s.typ, &s.id, &s.action, &s.writer, &s.seq, &s.duration, &s.count,
			&s.endWriter, &s.endSeq, &s.principal, &s.approver, &s.subject, &s.tenant, &s.client, &s.method, &s.upstream,
			&s.tool, &s.toolRef, &s.effect, &s.reasons, &s.code, &s.outcome, &s.state, &s.transport, &s.policy, &s.label, &s.faults, &s.definition, &s.approval, &s.at, &s.row)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// resolver turns numbers back into words. The first error stays in err.
type resolver struct {
	ctx     context.Context
	db      *sql.DB
	words   map[int64]string
	writers map[int64]audit.Position
	err     error
}

func (r *resolver) row(s *stored) audit.Row {
	row := audit.Row{
		Time:      time.Unix(0, s.time).UTC(),
		Type:      audit.Type(r.wordOf(sql.NullInt64{Int64: s.typ, Valid: true})),
		Event:     audit.ID(s.id),
		Position:  r.position(s.writer, s.seq),
		Principal: audit.Keyed(r.wordOf(s.principal)),
		Approver:  audit.Keyed(r.wordOf(s.approver)),
		Subject:   audit.Label(r.wordOf(s.subject)),
		Tenant:    audit.Label(r.wordOf(s.tenant)),
		Client:    audit.Label(r.wordOf(s.client)),
		Method:    audit.Method(r.wordOf(s.method)),
		Upstream:  audit.Ident(r.wordOf(s.upstream)),
		Tool:      audit.Ident(r.wordOf(s.tool)),
		ToolRef:   audit.Keyed(r.wordOf(s.toolRef)),
		Effect:    gateway.Effect(r.wordOf(s.effect)),
		Code:      gateway.Code(r.wordOf(s.code)),
		Outcome:   gateway.Outcome(r.wordOf(s.outcome)),
		State:     gateway.ExposureState(r.wordOf(s.state)),
		Of:        gateway.Digest(r.wordOf(s.definition)),
		Transport: audit.Transport(r.wordOf(s.transport)),
		Policy:    audit.Version(r.wordOf(s.policy)),
		Label:     audit.Word(r.wordOf(s.label)),
		Duration:  time.Duration(s.duration) * time.Microsecond,
		Count:     uint64(s.count.Int64),
	}
	if len(s.action) == len(row.Action) {
		row.Action = audit.ID(s.action)
	}
	if len(s.approval) == len(row.Approval) {
		row.Approval = audit.ID(s.approval)
	}
	if text := r.wordOf(s.faults); text != "" {
		for fault := range strings.SplitSeq(text, ",") {
			row.Faults = append(row.Faults, audit.Fault(fault))
		}
	}
	if s.endWriter.Valid {
		row.Settled = r.position(s.endWriter.Int64, s.endSeq.Int64)
	}
	for reason := range strings.FieldsSeq(r.wordOf(s.reasons)) {
		row.Reasons = append(row.Reasons, gateway.Reason(reason))
	}
	return row
}

func (r *resolver) wordOf(id sql.NullInt64) string {
	if !id.Valid {
		return ""
	}
	text, ok := r.words[id.Int64]
	if !ok && r.err == nil {
		r.err = r.db.QueryRowContext(r.ctx, "SELECT text FROM word WHERE id = ?", id.Int64).Scan(&text)
		r.words[id.Int64] = text
	}
	return text
}

func (r *resolver) position(writer, seq int64) audit.Position {
	p, ok := r.writers[writer]
	if !ok && r.err == nil {
		r.err = r.db.QueryRowContext(r.ctx, "SELECT replica, boot FROM writer WHERE id = ?", writer).Scan(&p.Replica, &p.Boot)
		r.writers[writer] = p
	}
	p.Seq = uint64(seq)
	return p
}
