package cli

import (
	"encoding/json"
	"strings"
	"time"
)

// Kind is what the cells of a column are in JSON; cells are texts everywhere else.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota
	Number      // null where the cell is empty
	Bool        // likewise
	List        // words between commas: an array of strings
	Time        // a Stamp: in tables local time, else RFC 3339 in UTC; null where empty
)

// Stamp is the cell of a column of kind Time, "" for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// value is a cell as JSON has it.
func (k Kind) value(cell string) any {
	switch {
	case k == List:
		words := []string{}
		for w := range strings.SplitSeq(cell, ",") {
			if w = strings.TrimSpace(w); w != "" {
				words = append(words, w)
			}
		}
		return words
	case k == Text:
		return cell
	case cell == "":
		return nil
	case k == Bool:
		return cell == "true" || cell == "yes"
	case k == Number && json.Valid([]byte(cell)):
		return json.Number(cell)
	}
	return cell
}

// local is a cell as tables show it.
func (t *Table) local(column int, cell string) string {
	if t.Kinds[t.Columns[column]] != Time || cell == "" {
		return cell
	}
	at, err := time.Parse(time.RFC3339Nano, cell)
	if err != nil {
		return cell
	}
	layout := t.Layout
	if layout == "" {
		layout = time.DateTime
	}
	return at.Local().Format(layout)
}

// shown is a row as tables have it.
func (t *Table) shown(row []string) []string {
	cells := make([]string, len(t.Columns))
	for i := range cells {
		cells[i] = t.local(i, row[i])
	}
	return cells
}

// Member is what JSON calls a column.
func Member(column string) string {
	return strings.ToLower(strings.NewReplacer("%", "percent", " ", "_").Replace(column))
}

// objects are the rows with their extra cells.
func (t *Table) objects() []map[string]any {
	objects := make([]map[string]any, 0, len(t.Rows))
	for n, row := range t.Rows {
		object := make(map[string]any, len(row))
		for i, cell := range row {
			column := ""
			if i < len(t.Columns) {
				column = t.Columns[i]
			} else {
				column = t.Extra[i-len(t.Columns)]
			}
			object[Member(column)] = t.Kinds[column].value(cell)
			if t.Values != nil {
				object[Member(column)] = t.Values[n][i]
			}
		}
		objects = append(objects, object)
	}
	return objects
}
