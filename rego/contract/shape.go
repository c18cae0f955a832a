package contract

import (
	"maps"
	"slices"
	"strings"
)

// Kinds is a set of JSON kinds.
type Kinds uint8

// The kinds of JSON values, and one more.
const (
	Null Kinds = 1 << iota
	Boolean
	Number
	String
	Array
	Object

	// Set is what a policy builds; no input is one.
	Set

	AnyKind = Null | Boolean | Number | String | Array | Object
)

// String names the kinds, joined by "or".
func (k Kinds) String() string {
	var names []string
	for i, name := range [...]string{"null", "boolean", "number", "string", "array", "object", "set"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// untrusted ends the names under which unverified facts stand.
const untrusted = "_untrusted"

// Shape says what may stand at a place of the input. It never changes.
type Shape struct {
	Path      string   // such as input.resource.properties.owner; [_] stands for any member or element
	Kinds     Kinds    // what it may be
	Enum      []string // the strings that it may be; nil = any
	Fields    map[string]*Shape
	Rest      *Shape // members of other names; nil = there are none
	Items     *Shape // elements of an array; nil = not known
	Untrusted bool   // it, or what it stands in, was verified by nobody
	Open      bool   // nothing is known below
}

// Input returns the shape of the input in a phase, or, for several, of what one
// of them knows.
func Input(phases ...Phase) *Shape {
	root := &Shape{Path: "input", Kinds: Object, Fields: map[string]*Shape{}}
	for _, p := range phases {
		tree := Tree(p)
		r := &shaper{tree["definitions"].(map[string]any)}
		for name, s := range r.shape("input", tree, false).Fields {
			root.Fields[name] = merge(root.Fields[name], s)
		}
	}
	return root
}

// merge joins what two phases say of one place.
func merge(a, b *Shape) *Shape {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	out := *a
	out.Kinds |= b.Kinds
	if a.Enum == nil || b.Enum == nil {
		out.Enum = nil
	} else {
		out.Enum = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(a.Enum), b.Enum...))))
	}
	out.Fields = maps.Clone(a.Fields)
	for name, s := range b.Fields {
		out.Fields[name] = merge(out.Fields[name], s)
	}
	return &out
}

type shaper struct{ definitions map[string]any }

func (r *shaper) shape(path string, schema map[string]any, inside bool) *Shape {
	if ref, ok := schema["$ref"].(string); ok {
		return r.shape(path, r.definitions[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any), inside)
	}
	s := &Shape{Path: path, Untrusted: inside}
	switch schema["type"] {
	case "object":
		s.Kinds = Object
		r.object(s, schema)
	case "array":
		s.Kinds = Array
		if items, ok := schema["items"].(map[string]any); ok {
			s.Items = r.shape(path+"[_]", items, inside)
		}
	case "string":
		s.Kinds = String
		for _, word := range list(schema["enum"]) {
			s.Enum = append(s.Enum, word.(string))
		}
	case "integer", "number":
		s.Kinds = Number
	case "boolean":
		s.Kinds = Boolean
	default:
		s.Kinds, s.Open = AnyKind, true
	}
	return s
}

func (r *shaper) object(s *Shape, schema map[string]any) {
	members, _ := schema["properties"].(map[string]any)
	rest, some := schema["additionalProperties"].(map[string]any)
	if some {
		s.Rest = r.shape(s.Path+"[_]", rest, s.Untrusted)
	}
	s.Open = members == nil && !some
	s.Fields = make(map[string]*Shape, len(members))
	for name, v := range members {
		s.Fields[name] = r.shape(s.Path+"."+name, v.(map[string]any), s.Untrusted || strings.HasSuffix(name, untrusted))
	}
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}

// Names returns the names of the object's members, sorted.
func (s *Shape) Names() []string { return slices.Sorted(maps.Keys(s.Fields)) }

// Claims returns the paths of what nobody verified, at the place or below it.
func (s *Shape) Claims() []string {
	switch {
	case s == nil:
		return nil
	case s.Untrusted:
		return []string{s.Path}
	}
	var paths []string
	for _, name := range s.Names() {
		paths = append(paths, s.Fields[name].Claims()...)
	}
	return append(append(paths, s.Rest.Claims()...), s.Items.Claims()...)
}
