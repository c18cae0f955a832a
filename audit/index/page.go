package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mcp-gateway/audit"
)

// ErrCursor says that a cursor is none that a page gave.
var ErrCursor = errors.New("index: not a cursor")

// Page is Query a page at a time: next asks for the rows behind these, "" is the end.
// A row that comes while pages are read is on none of them when the newest come first.
func (x *Index) Page(ctx context.Context, f audit.Filter, cursor string) (rows []audit.Row, next string, err error) {
	if err := x.CatchUp(ctx); err != nil {
		return nil, "", err
	}
	where, args, err := x.where(ctx, f)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	order, behind := "DESC", "<"
	if f.Order == audit.OldestFirst {
		order, behind = "ASC", ">"
	}
	if cursor != "" {
		at, id, ok := parseCursor(cursor)
		if !ok {
			return nil, "", ErrCursor
		}
		join := " WHERE "
		if where != "" {
			join = " AND "
		}
		where, args = where+join+"(at, id) "+behind+" (?, ?)", append(args, at, id)
	}
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	found, err := x.stored(ctx, where+" ORDER BY at "+order+", id "+order+" LIMIT ?", append(args, f.Limit))
	if err != nil {
		return nil, "", err
	}
	if len(found) == f.Limit {
		last := &found[len(found)-1]
		next = fmt.Sprintf("%d.%d", last.at, last.row)
	}
	rows, err = x.resolved(ctx, found)
	return rows, next, err
}

// parseCursor reads the place of a row, as Page writes it.
func parseCursor(text string) (at, row int64, ok bool) {
	first, second, ok := strings.Cut(text, ".")
	at, err := strconv.ParseInt(first, 10, 64)
	row, wrong := strconv.ParseInt(second, 10, 64)
	ok = ok && err == nil && wrong == nil && fmt.Sprintf("%d.%d", at, row) == text
	return at, row, ok
}
