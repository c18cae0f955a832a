package index

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
)

// maxAnswer bounds the rows of one SQL question.
const maxAnswer = 100_000

// SQL asks one question in SQL over the view events, once the index holds what
// is durable. The file is opened for reading only: a statement that would write
// fails. NULL is "".
func (x *Index) SQL(ctx context.Context, query string) (columns []string, out [][]string, err error) {
	if err := x.CatchUp(ctx); err != nil {
		return nil, nil, err
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)", "temp_store(MEMORY)"}, "mode": {"ro"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: x.path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, query)
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
