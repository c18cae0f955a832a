package checks

import (
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/config/form"
	"mcp-gateway/gateway"
)

// Required names, by set and scenario, the checks that must succeed.
type Required map[string]map[string]*Duty

// Duty is what one scenario owes.
type Duty struct {
	Scored bool // counts for the frozen set; the others are run and held all the same
	Checks []string
}

// Excuse is a group of checks that do not succeed in one column, and why.
type Excuse struct {
	Checks []string // "scenario:check-id"
	Why    string
	Pos    gateway.Pos
}

// Expected is what may fail, by column.
type Expected map[string][]Excuse

const listBytes = 1 << 20

// LoadRequired reads what must succeed.
func LoadRequired(path string) (Required, error) {
	var r Required
	doc := form.Open(path, listBytes)
	doc.Read(form.Object{Fields: []form.Field{
		{Key: "version", Need: true, Value: form.Version(1)},
		{Key: "sets", Need: true, Value: form.Map((*map[string]map[string]*Duty)(&r), form.Keys{}, func(_ form.Entry, s *map[string]*Duty) form.Value {
			return form.Map(s, form.Keys{}, duty)
		})},
	}})
	return r, problems(doc)
}

func duty(_ form.Entry, d **Duty) form.Value {
	*d = &Duty{Scored: true}
	return form.Object{Fields: []form.Field{
		{Key: "scored", Value: form.YesNo(&(*d).Scored)},
		{Key: "checks", Need: true, Value: form.List(&(*d).Checks, form.Text)},
	}}
}

// LoadExpected reads the excuses, of which each names a known column, a
// required check and a reason.
func LoadExpected(path string, columns []string) (Expected, error) {
	var e Expected
	doc := form.Open(path, listBytes)
	doc.Read(form.Object{Fields: []form.Field{
		{Key: "version", Need: true, Value: form.Version(1)},
		{Key: "columns", Need: true, Value: form.Map((*map[string][]Excuse)(&e), form.Keys{}, func(_ form.Entry, list *[]Excuse) form.Value {
			return form.List(list, excuse)
		})},
	}})
	if err := problems(doc); err != nil {
		return nil, err
	}
	for name, excuses := range e {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("%s: no column is called %q", path, name)
		}
		if err := checkExcuses(excuses); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return e, nil
}

func excuse(e *Excuse) form.Value {
	return form.Object{Fields: []form.Field{
		{Key: "why", Need: true, Value: form.Text(&e.Why)},
		{Key: "checks", Need: true, Value: form.List(&e.Checks, form.Text)},
	}}
}

func checkExcuses(excuses []Excuse) error {
	seen := map[string]bool{}
	for _, e := range excuses {
		if strings.TrimSpace(e.Why) == "" {
			return fmt.Errorf("no reason for %v", e.Checks)
		}
		for _, check := range e.Checks {
			if !strings.Contains(check, ":") {
				return fmt.Errorf("%q is not scenario:check-id", check)
			}
			if seen[check] {
				return fmt.Errorf("%s stands there twice", check)
			}
			seen[check] = true
		}
	}
	return nil
}

func problems(doc *form.Document) error {
	if p := doc.Problems(); len(p) > 0 {
		return p
	}
	return nil
}
