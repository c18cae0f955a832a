package form

import (
	"maps"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"mcp-gateway/gateway"
)

// Value is something that a file may hold, bound to where it is put. A value
// that is absent from the file leaves what it is bound to as it was: the default.
type Value interface {
	read(at Place)
	schema() map[string]any
}

// Schema returns the JSON Schema (draft-07 vocabulary) of a value.
func Schema(v Value) map[string]any { return v.schema() }

// Field is one key of an Object.
type Field struct {
	Key   string
	Doc   string // one sentence for the schema
	Need  bool   // an object without the key is a problem
	Value Value
}

// Object is a mapping with known keys.
type Object struct {
	Fields []Field
	Check  func(at Place) // rules over several keys; run after all were read
}

func (o Object) read(at Place) {
	if at.node != nil && !IsMapping(at.node) {
		at.elide()
		at.Report("wrong_type", "wants a mapping of keys, found %s", kindOf(at.node))
		return
	}
	seen := eachPair(at, func(key string, pair *ast.MappingValueNode) {
		i := slices.IndexFunc(o.Fields, func(f Field) bool { return f.Key == key })
		if i < 0 {
			reportKey(at, pair, "unknown_key", "unknown key `"+clip(key)+"`"+didYouMean(key, o.keys()))
			at.at(pair.Value).elide() // it may be a secret under a mistyped name
			return
		}
		o.Fields[i].Value.read(at.at(pair.Value))
	})
	for _, f := range o.Fields {
		if _, given := seen[f.Key]; f.Need && !given {
			at.Report("missing_key", "the key `%s` is missing", f.Key)
		}
	}
	if o.Check != nil {
		o.Check(at)
	}
}

func (o Object) keys() []string {
	keys := make([]string, len(o.Fields))
	for i := range o.Fields {
		keys[i] = o.Fields[i].Key
	}
	return keys
}

func (o Object) schema() map[string]any {
	properties := make(map[string]any, len(o.Fields))
	var required []string
	for _, f := range o.Fields {
		s := maps.Clone(f.Value.schema())
		if f.Doc != "" {
			s["description"] = f.Doc
		}
		properties[f.Key] = s
		if f.Need {
			required = append(required, f.Key)
		}
	}
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}

type list[T any] struct {
	dst  *[]T
	item func(*T) Value
}

// List is a sequence whose items all have one description.
func List[T any](dst *[]T, item func(*T) Value) Value { return list[T]{dst, item} }

func (l list[T]) read(at Place) {
	seq, ok := at.node.(*ast.SequenceNode)
	if !ok {
		if !IsNull(at.node) {
			at.elide()
			at.Report("wrong_type", "wants a list, found %s", kindOf(at.node))
		}
		return
	}
	*l.dst = make([]T, len(seq.Values))
	for i, n := range seq.Values {
		l.item(&(*l.dst)[i]).read(at.at(n))
	}
}

func (l list[T]) schema() map[string]any {
	var zero T
	return map[string]any{"type": "array", "items": l.item(&zero).schema()}
}

// Entry is one entry of a Map: its key and where it begins.
type Entry struct {
	Key string
	Pos gateway.Pos
}

// Keys says which keys a Map takes. The zero value takes any.
type Keys struct {
	Pattern *regexp.Regexp
	Want    string // what a key is, for the problem's text
	Code    string // of the problem that a wrong key is
}

type table[T any] struct {
	dst  *map[string]T
	keys Keys
	item func(Entry, *T) Value
}

// Map is a mapping whose keys are the writer's own and whose values all have
// one description.
func Map[T any](dst *map[string]T, keys Keys, item func(Entry, *T) Value) Value {
	return table[T]{dst, keys, item}
}

func (m table[T]) read(at Place) {
	if IsNull(at.node) {
		return
	}
	if !IsMapping(at.node) {
		at.elide()
		at.Report("wrong_type", "wants a mapping of keys, found %s", kindOf(at.node))
		return
	}
	*m.dst = make(map[string]T, len(Pairs(at.node)))
	eachPair(at, func(key string, pair *ast.MappingValueNode) {
		if m.keys.Pattern != nil && !m.keys.Pattern.MatchString(key) {
			reportKey(at, pair, m.keys.Code, "`"+clip(key)+"` is no "+m.keys.Want)
			return
		}
		var v T
		m.item(Entry{Key: key, Pos: at.doc.posOf(pair.Key.GetToken())}, &v).read(at.at(pair.Value))
		(*m.dst)[key] = v
	})
}

func (m table[T]) schema() map[string]any {
	var zero T
	s := map[string]any{"type": "object", "additionalProperties": m.item(Entry{}, &zero).schema()}
	if m.keys.Pattern != nil {
		s["propertyNames"] = map[string]any{"pattern": m.keys.Pattern.String()}
	}
	return s
}

func (p Place) at(n ast.Node) Place { return Place{doc: p.doc, node: n} }

// eachPair visits the entries of a mapping in order, the first of each key; a
// second one is a problem. It returns the keys with their tokens.
func eachPair(at Place, visit func(key string, pair *ast.MappingValueNode)) map[string]*token.Token {
	all := Pairs(at.node)
	seen := make(map[string]*token.Token, len(all))
	for _, pair := range all {
		key := KeyText(pair)
		if first, twice := seen[key]; twice {
			reportKey(at, pair, "duplicate_key", "the key `"+clip(key)+"` was given before, at "+at.doc.posOf(first).String())
			at.at(pair.Value).elide()
			continue
		}
		seen[key] = pair.Key.GetToken()
		visit(key, pair)
	}
	return seen
}

func reportKey(at Place, pair *ast.MappingValueNode, code, message string) {
	at.doc.report(at.doc.posOf(pair.Key.GetToken()), code, message)
}

// IsMapping reports whether a node is a mapping of either style.
func IsMapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// clip bounds a word of the file that is quoted in a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	}
	return "text"
}

type lazy func() Value

// Lazy is a value whose description is made when the file has it, so that what
// it is bound to can be made then as well.
func Lazy(describe func() Value) Value { return lazy(describe) }

func (l lazy) read(at Place)          { l().read(at) }
func (l lazy) schema() map[string]any { return l().schema() }
