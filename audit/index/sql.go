package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxAnswer bounds the rows of one SQL question.
const maxAnswer = 100_000

// ErrNoQuestion says that a statement is none that asks.
var ErrNoQuestion = errors.New("index: only questions are answered: SELECT, WITH, VALUES or EXPLAIN")

// SQL asks one question in SQL over the view events, once the index holds what
// is durable. The file is opened for reading only, and no other file can be attached: a
// statement that would write, or do anything but ask, fails. NULL is "".
func (x *Index) SQL(ctx context.Context, query string) (columns []string, out [][]string, err error) {
	if !asks(query) {
		return nil, nil, ErrNoQuestion
	}
	if err := x.CatchUp(ctx); err != nil {
		return nil, nil, err
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)", "temp_store(MEMORY)"}, "mode": {"ro"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: x.path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	defer rows.Close()
	if columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	for rows.Next() && len(out) < maxAnswer {
		cells := make([]sql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, nil, err
		}
		row := make([]string, len(columns))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return columns, out, rows.Err()
}

// asks says whether a statement begins as a question.
func asks(query string) bool {
	words := strings.FieldsFunc(query, func(r rune) bool { return r == '(' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	return len(words) > 0 && slices.Contains([]string{"SELECT", "WITH", "VALUES", "EXPLAIN"}, strings.ToUpper(words[0]))
}
