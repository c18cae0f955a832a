package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table is what a command prints: as aligned text, JSON objects or CSV, with
// the same columns in each.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// outputFormats is what -o takes.
const outputFormats = "table, json or csv"

func (t *table) write(w io.Writer, format string) error {
	switch format {
	case "table":
		return t.writeText(w)
	case "json":
		return t.writeJSON(w)
	case "csv":
		out := csv.NewWriter(w)
		if err := out.Write(t.columns); err != nil {
			return err
		}
		return out.WriteAll(t.rows)
	default:
		return &exitError{exitUsage, "error: -o: want " + outputFormats}
	}
}

func (t *table) writeText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, strings.ToUpper(strings.Join(t.columns, "\t")))
	for _, row := range t.rows {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
	return out.Flush()
}

func (t *table) writeJSON(w io.Writer) error {
	objects := make([]map[string]string, 0, len(t.rows))
	for _, row := range t.rows {
		object := make(map[string]string, len(row))
		for i, cell := range row {
			object[t.columns[i]] = cell
		}
		objects = append(objects, object)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(objects)
}

// joined renders reasons and scopes.
func joined[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = string(v)
	}
	return strings.Join(texts, ",")
}
