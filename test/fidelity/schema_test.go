package fidelity

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// node is a schema, decoded: these are the protocol's own files, not a peer's.
type node map[string]any

// schemas draws instances of one revision's types.
type schemas struct {
	*values
	defs  map[string]node
	drawn map[string]int // how often each type was drawn
}

// load reads a revision's schema; false where it is not there.
func load(t *testing.T, revision string, v *values) (*schemas, bool) {
	t.Helper()
	text, err := os.ReadFile("../../../shared/spec/schema-" + revision + ".json")
	if os.IsNotExist(err) {
		return nil, false
	}
	var file struct {
		Defs map[string]node `json:"$defs"`
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Defs) == 0 {
		t.Fatalf("schema %s: %v", revision, err)
	}
	return &schemas{values: v, defs: file.Defs, drawn: map[string]int{}}, true
}

// draw is an instance of a type.
func (s *schemas) draw(name string) object { return parse([]byte(s.ref(name, "", 0))) }

// only is draw for what does not pass whole: of the types within, none is counted.
func (s *schemas) only(name string) object {
	drawn := maps.Clone(s.drawn)
	o := s.draw(name)
	s.drawn = drawn
	s.drawn[name]++
	return o
}

func (s *schemas) ref(name, member string, depth int) string {
	s.drawn[name]++
	return s.of(s.defs[name], member, depth)
}

// of is an instance of a schema that stands at a member of that name.
func (s *schemas) of(n node, member string, depth int) string {
	if ref, ok := n["$ref"].(string); ok {
		return s.ref(strings.TrimPrefix(ref, "#/$defs/"), member, depth)
	}
	if fixed, ok := n["const"]; ok {
		return literal(fixed)
	}
	if choice, ok := n["enum"].([]any); ok {
		return literal(pick(s.values, choice))
	}
	if branches, ok := n["anyOf"].([]any); ok {
		if depth > 5 {
			branches = branches[:1]
		}
		return s.of(node(pick(s.values, branches).(map[string]any)), member, depth+1)
	}
	kind := n["type"]
	if kinds, ok := kind.([]any); ok {
		kind = pick(s.values, kinds)
	}
	switch kind {
	case "object":
		return s.object(n, member, depth)
	case "array":
		return s.array(n, member, depth)
	case nil:
		if n["properties"] != nil {
			return s.object(n, member, depth)
		}
		return s.anything(3)
	}
	return s.scalar(n, kind, member)
}

func literal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(raw)
}

func (s *schemas) scalar(n node, kind any, member string) string {
	switch kind {
	case "boolean":
		return s.boolean()
	case "null":
		return "null"
	case "integer":
		return s.integer()
	case "number":
		if n["maximum"] != nil {
			return s.unit()
		}
		return s.number()
	}
	switch {
	case member == "url": // what a person is sent to
		return `"https://example.test/go?x=1"`
	case member == "mimeType": // another is replaced
		return pick(s.values, []string{`"text/plain"`, `"image\/png"`, `"application/vnd.example+json; charset=utf-8"`})
	case member == "src": // of an icon, which is one of an image in itself
		_ = s.uri() // as far as chance goes, any URI
		return `"data:image/png;base64,AAAA"`
	case n["format"] == "uri" || n["format"] == "uri-template":
		return s.uri()
	case n["format"] == "byte":
		return s.bytes()
	}
	return s.anyText()
}

func (s *schemas) array(n node, member string, depth int) string {
	items, ok := n["items"].(map[string]any)
	if !ok {
		return "[]"
	}
	var all []string
	for range s.IntN(max(1, 4-depth/2)) {
		all = append(all, s.of(node(items), member, depth+1))
	}
	return array(all)
}

// object has all members that it must have, some of those that it may have, and
// some that nobody knows.
func (s *schemas) object(n node, member string, depth int) string {
	required, _ := n["required"].([]any)
	properties, _ := n["properties"].(map[string]any)
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema := node(properties[name].(map[string]any))
		switch must := slices.Contains(required, any(name)); {
		case must || s.chance(45-5*depth):
			o = append(o, field{name, s.of(schema, name, depth+1)})
		case s.chance(3):
			o = append(o, field{name, "null"})
		}
	}
	if more, ok := n["additionalProperties"].(map[string]any); ok && len(more) > 0 {
		for range s.IntN(3) {
			if name := pick(s.values, []string{"one", "zwei", "三", "d"}); o.get(name) == "" {
				o = append(o, field{name, s.of(node(more), name, depth+1)})
			}
		}
	} else if s.chance(30) || member == "_meta" {
		o = s.unknown(o, 1+s.IntN(2), 3)
	}
	return s.shuffled(o).String()
}
