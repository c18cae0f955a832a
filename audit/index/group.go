package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"mcp-gateway/audit"
)

// Group is how many rows have the same values.
type Group struct {
	Values []string // in the order of the columns that were asked for
	Rows   uint64
}

// groupable are the columns by which rows can be counted: those that hold words.
func groupable() []string {
	return []string{
		"type", "principal", "approver", "subject", "tenant", "client", "transport", "method", "upstream", "tool", "tool_ref",
		"state", "effect", "reasons", "noted", "faults", "code", "outcome", "label", "policy", "definition",
	}
}

// Columns lists what Count can group by.
func Columns() []string { return append(groupable(), "replica", "day", "hour") }

// column returns how a group's column is computed; words stay numbers.
func column(name string) (expression string, word bool) {
	switch name {
	case "replica":
		return "(SELECT replica FROM writer WHERE id = event.writer)", false
	case "day":
		return "strftime('%Y-%m-%d', time / 1000000000, 'unixepoch')", false
	case "hour":
		return "strftime('%Y-%m-%dT%H', time / 1000000000, 'unixepoch')", false
	}
	for _, known := range groupable() {
		if name == known {
			return name, true
		}
	}
	return "", false
}

// ErrColumn says that rows can't be counted by a column.
var ErrColumn = errors.New("index: no column to group by")

// Count counts the rows that the filter admits, by the values of some columns,
// most first. Without columns there is one group.
func (x *Index) Count(ctx context.Context, f audit.Filter, by []string) ([]Group, error) {
	if err := x.CatchUp(ctx); err != nil {
		return nil, err
	}
	where, args, err := x.where(ctx, f)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	columns := make([]string, len(by))
	words := make([]bool, len(by))
	for i, name := range by {
		if columns[i], words[i] = column(name); columns[i] == "" {
			return nil, fmt.Errorf("%w: %q", ErrColumn, name)
		}
	}
	query := "SELECT " + strings.Join(append(columns, "count(*) AS n"), ", ") + " FROM event" + where
	if len(by) > 0 {
		query += " GROUP BY " + strings.Join(columns, ", ") + " ORDER BY n DESC, " + strings.Join(columns, ", ")
	}
	if f.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, f.Limit)
	}
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	groups, err := scanGroups(rows, len(by))
	if err != nil {
		return nil, err
	}
	r := resolver{ctx: ctx, db: x.db, words: map[int64]string{}}
	out := make([]Group, 0, len(groups))
	for _, g := range groups {
		out = append(out, g.resolve(&r, words))
	}
	return out, r.err
}

// counted is a group whose words are still numbers.
type counted struct {
	values []any
	rows   uint64
}

func scanGroups(rows *sql.Rows, columns int) ([]counted, error) {
	defer rows.Close()
	var all []counted
	for rows.Next() {
		g := counted{values: make([]any, columns)}
		targets := make([]any, 0, columns+1)
		for i := range g.values {
			targets = append(targets, &g.values[i])
		}
		if err := rows.Scan(append(targets, &g.rows)...); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, rows.Err()
}

func (g counted) resolve(r *resolver, words []bool) Group {
	out := Group{Rows: g.rows}
	for i, v := range g.values {
		id, isNumber := v.(int64)
		switch {
		case v == nil:
			out.Values = append(out.Values, "")
		case words[i] && isNumber:
			out.Values = append(out.Values, r.wordOf(sql.NullInt64{Int64: id, Valid: true}))
		default:
			out.Values = append(out.Values, fmt.Sprint(v))
		}
	}
	return out
}
