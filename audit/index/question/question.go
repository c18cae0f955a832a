package question

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

// MaxRows bounds the rows of one SQL question.
const MaxRows = 100_000

// ErrNone says that a statement is none that asks.
var ErrNone = errors.New("index: only questions are answered: SELECT, WITH, VALUES or EXPLAIN")

// Answer is what a question in SQL found. A value is an int64, a float64, a string,
// []byte, or nil for NULL.
type Answer struct {
	Columns []string
	Rows    [][]any
	Cut     bool // there are more rows than one answer holds
}

// Ask asks one question. The file is opened for reading only, and no other file can be
// attached: a statement that would write, or do anything but ask, fails.
func Ask(ctx context.Context, path, query string) (*Answer, error) {
	if !Asks(query) {
		return nil, ErrNone
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)", "temp_store(MEMORY)"}, "mode": {"ro"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	defer rows.Close()
	return read(rows)
}

func read(rows *sql.Rows) (*Answer, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	out := &Answer{Columns: columns}
	for rows.Next() {
		if len(out.Rows) == MaxRows {
			out.Cut = true
			break
		}
		row := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, rows.Err()
}

// Asks says whether a statement begins as a question.
func Asks(query string) bool {
	words := strings.FieldsFunc(query, func(r rune) bool { return r == '(' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	return len(words) > 0 && slices.Contains([]string{"SELECT", "WITH", "VALUES", "EXPLAIN"}, strings.ToUpper(words[0]))
}
