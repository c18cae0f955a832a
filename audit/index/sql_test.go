package index

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"mcp-gateway/audit/index/question"
)

// A question in SQL changes nothing: not the index, not a file beside it, and not what
// the next question may do.
func TestSQLOnlyReads(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	fill(w, j)
	x := w.index()
	before, err := x.SQL(t.Context(), "SELECT count(*) AS n FROM events")
	if err != nil || len(before.Columns) != 1 || len(before.Rows) != 1 {
		t.Fatal(before, err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	for name, q := range map[string]string{
		"delete":                    "DELETE FROM event",
		"update":                    "UPDATE event SET tool = NULL",
		"insert":                    "INSERT INTO word (text) VALUES ('x')",
		"drop":                      "DROP VIEW events",
		"create":                    "CREATE TABLE x (y)",
		"a table of its own":        "CREATE TEMP TABLE x AS SELECT * FROM event",
		"attach":                    "ATTACH DATABASE '" + other + "' AS o",
		"attach, and read":          "ATTACH DATABASE '" + other + "' AS o; SELECT 1",
		"copy":                      "VACUUM INTO '" + other + "'",
		"let it write":              "PRAGMA query_only = 0",
		"let it write, then delete": "PRAGMA query_only = 0; DELETE FROM event",
		"its schema":                "PRAGMA writable_schema = 1",
		"its version":               "PRAGMA user_version = 9",
		"an extension":              "SELECT load_extension('/lib/x86_64-linux-gnu/libm.so.6')",
		"a file":                    "SELECT writefile('" + other + "', 'x')",
		"a file that is read":       "SELECT readfile('/etc/passwd')",
		"ask, then attach":          "SELECT 1; ATTACH DATABASE '" + other + "' AS o",
		"a comment, then attach":    "/* SELECT */ ATTACH DATABASE '" + other + "' AS o",
		"what the file is":          "PRAGMA database_list",
		"two questions":             "SELECT 1; DELETE FROM event",
	} {
		if answer, err := x.SQL(t.Context(), q); err == nil {
			t.Errorf("%s: answered %v", name, answer.Rows)
		}
		if _, err := os.Stat(other); err == nil {
			t.Fatalf("%s: made a file", name)
		}
	}
	if after, err := x.SQL(t.Context(), "SELECT count(*) AS n FROM events"); err != nil || after.Rows[0][0] != before.Rows[0][0] {
		t.Errorf("%v rows, before %v, %v", after, before, err)
	}
}

// What is found keeps its type, and an answer that is not whole says so.
func TestSQLAnswers(t *testing.T) {
	w := newWorld(t)
	fill(w, w.journal())
	x := w.index()
	for q, want := range map[string]int64{
		"SELECT count(*) FROM events WHERE action IS NULL":                         2, // the start, the flood
		"SELECT count(*) FROM events WHERE length(action) = 36":                    15,
		"SELECT count(*) FROM events WHERE approval IS NULL AND approver IS NULL":  17,
		"SELECT count(*) FROM events WHERE length(event) = 36 AND time > '2026-0'": 17,
	} {
		if got, err := x.SQL(t.Context(), q); err != nil || got.Rows[0][0] != want {
			t.Errorf("%s: %v, %v", q, got, err)
		}
	}
	got, err := x.SQL(t.Context(), "SELECT 1 AS n, 0.5 AS share, 'x' AS text, NULL AS none, x'00ff' AS bytes")
	want := &Answer{Columns: []string{"n", "share", "text", "none", "bytes"}, Rows: [][]any{{int64(1), 0.5, "x", nil, []byte{0, 0xff}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for n, cut := range map[int]bool{question.MaxRows: false, question.MaxRows + 1: true} {
		q := fmt.Sprintf("WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT n FROM c", n)
		if got, err := x.SQL(t.Context(), q); err != nil || len(got.Rows) != question.MaxRows || got.Cut != cut {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}
