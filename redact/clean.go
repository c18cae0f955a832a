package redact

import (
	"cmp"
	"slices"

	"mcp-gateway/gateway"
)

// Clean is JSON that a Redactor has cleaned, or was told to let through (Content),
// and the proof of it: only this package makes one, and the zero value is not valid.
type Clean struct {
	bytes   []byte
	changed bool
	valid   bool
	report  Report
}

// Valid reports whether the value came from a Redactor.
func (c Clean) Valid() bool { return c.valid }

// Bytes returns the JSON: the input's own slice where nothing changed. It is nil
// for the zero value.
func (c Clean) Bytes() []byte { return c.bytes }

// Changed reports whether the JSON differs from what came in.
func (c Clean) Changed() bool { return c.changed }

// Report returns what was found.
func (c Clean) Report() Report { return c.report }

// Count is how often something of a class was found.
type Count struct {
	Class string
	N     int
}

// Report says what was found, without any part of it. It is empty, and costs no
// allocation, where nothing was found.
type Report struct {
	Redactions []Count           // secrets replaced, sorted by class
	Removed    []Count           // hidden runes and sequences removed, sorted by class
	Findings   []gateway.Finding // each class once, at the first place it was seen
}

// Codes returns the codes of the findings, sorted, each once; nil for none.
func (r Report) Codes() []string {
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// sortCounts adds up counts of the same class and sorts them.
func sortCounts(counts []Count) []Count {
	slices.SortFunc(counts, func(a, b Count) int { return cmp.Compare(a.Class, b.Class) })
	out := counts[:0]
	for _, c := range counts {
		if n := len(out); n > 0 && out[n-1].Class == c.Class {
			out[n-1].N += c.N
			continue
		}
		out = append(out, c)
	}
	return out
}
