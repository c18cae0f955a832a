package plan

import (
	"errors"
	"fmt"
	"strings"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema/plan/scalar"
)

// Errors of Build and Audit. They say that a schema cannot be enforced safely.
var (
	ErrForeign   = errors.New("refers to a schema outside the document")
	ErrDialects  = errors.New("mixes dialects")
	ErrCycle     = errors.New("applies to itself without consuming any of the value")
	ErrExpansion = errors.New("expands into too many subschemas")
)

// Node is one subschema. A node is immutable once Build has returned.
type Node struct {
	at string // where it stands, for error texts

	always, never bool // the boolean schemas
	rule          scalar.Rule

	all              []*Node // $ref, allOf
	any, one         []*Node
	not              *Node
	cond, then, els  *Node
	late             []*Node // $dynamicRef, dependent schemas: applied in place, not judged here
	opaque           bool    // holds something that Accept does not judge
	minItems, maxNum int     // items; -1 = none
	unique           bool
	prefix           []*Node
	rest             *Node
	otherItems       []*Node // contains, unevaluatedItems

	fields       map[string]field
	patterns     []patternField
	declared     int // members of fields that have a node
	required     uint64
	named        int   // names that are looked for in every object
	extra        *Node // additionalProperties
	names        *Node // propertyNames
	otherMembers []*Node
	minProps     int
	maxProps     int
}

type field struct {
	node     *Node // nil: required but not declared here
	required uint8 // bit number + 1; 0 = optional
}

type patternField struct {
	re   *scalar.Pattern
	node *Node
}

// builder turns the library's graph into nodes, each once.
type builder struct {
	nodes   map[*jsonschema.Schema]*Node
	dynamic map[string][]*jsonschema.Schema
	home    string
	draft   int
}

// Build returns the graph below root. dynamic are the subschemas of the
// document that carry a $dynamicAnchor, by its name. It also switches off the
// assertion of `format`, which the library turns on for draft-07.
func Build(root *jsonschema.Schema, dynamic map[string][]*jsonschema.Schema) (*Node, error) {
	home, _, _ := strings.Cut(root.Location, "#")
	b := &builder{nodes: map[*jsonschema.Schema]*Node{}, dynamic: dynamic, home: home + "#", draft: root.DraftVersion}
	n := b.node(root)
	for s, n := range b.nodes {
		if !strings.HasPrefix(s.Location, b.home) {
			return nil, fmt.Errorf("%s %w", n.at, ErrForeign)
		}
		if s.DraftVersion != b.draft {
			return nil, fmt.Errorf("%s %w", n.at, ErrDialects)
		}
		// Only now are all nodes whole.
		n.opaque = n.opaque || n.names != nil && !n.names.anyString()
	}
	return n, nil
}

func (b *builder) node(s *jsonschema.Schema) *Node {
	if s == nil {
		return nil
	}
	if n, ok := b.nodes[s]; ok {
		return n
	}
	n := &Node{at: strings.TrimPrefix(s.Location, b.home), minItems: -1, maxNum: -1, minProps: -1, maxProps: -1}
	b.nodes[s] = n
	s.Format = nil
	if s.Bool != nil {
		n.always, n.never = *s.Bool, !*s.Bool
		return n
	}
	b.inPlace(n, s)
	n.rule = scalar.RuleOf(s)
	b.array(n, s)
	b.object(n, s)
	return n
}

func (b *builder) list(ss []*jsonschema.Schema) []*Node {
	var out []*Node
	for _, s := range ss {
		out = append(out, b.node(s))
	}
	return out
}

// inPlace takes what applies to the very value that the node applies to.
func (b *builder) inPlace(n *Node, s *jsonschema.Schema) {
	if s.Ref != nil {
		n.all = append(n.all, b.node(s.Ref))
	}
	n.all = append(n.all, b.list(s.AllOf)...)
	n.any, n.one, n.not = b.list(s.AnyOf), b.list(s.OneOf), b.node(s.Not)
	n.cond, n.then, n.els = b.node(s.If), b.node(s.Then), b.node(s.Else)
	if d := s.DynamicRef; d != nil {
		n.late = append(n.late, b.node(d.Ref))
		n.late = append(n.late, b.list(b.dynamic[d.Anchor])...)
	}
	if s.RecursiveRef != nil {
		n.late = append(n.late, b.node(s.RecursiveRef))
	}
	for _, dep := range s.DependentSchemas {
		n.late = append(n.late, b.node(dep))
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*jsonschema.Schema); ok {
			n.late = append(n.late, b.node(sub))
		}
	}
	n.opaque = len(n.late) > 0 || len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.Extensions) > 0
}

func (b *builder) array(n *Node, s *jsonschema.Schema) {
	n.minItems, n.maxNum, n.unique = scalar.Limit(s.MinItems), scalar.Limit(s.MaxItems), s.UniqueItems
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		n.rest = b.node(items)
	case []*jsonschema.Schema:
		n.prefix = b.list(items)
		n.rest = b.boolOrNode(s.AdditionalItems)
	}
	if len(s.PrefixItems) > 0 {
		n.prefix = b.list(s.PrefixItems)
	}
	if s.Items2020 != nil {
		n.rest = b.node(s.Items2020)
	}
	for _, sub := range []*jsonschema.Schema{s.Contains, s.UnevaluatedItems} {
		if sub != nil {
			n.otherItems = append(n.otherItems, b.node(sub))
			n.opaque = true
		}
	}
}

func (b *builder) object(n *Node, s *jsonschema.Schema) {
	n.minProps, n.maxProps = scalar.Limit(s.MinProperties), scalar.Limit(s.MaxProperties)
	n.declared = len(s.Properties)
	n.fields = make(map[string]field, len(s.Properties))
	for name, sub := range s.Properties {
		n.fields[name] = field{node: b.node(sub)}
	}
	n.named = len(s.Required) + len(s.DependentSchemas) + len(s.PatternProperties)
	for _, dep := range s.Dependencies {
		names, _ := dep.([]string)
		n.named += 1 + len(names)
	}
	for _, names := range s.DependentRequired {
		n.named += 1 + len(names)
	}
	for i, name := range s.Required {
		if i >= 64 {
			n.opaque = true
			break
		}
		f := n.fields[name]
		if f.required == 0 {
			f.required = uint8(i + 1)
			n.required |= 1 << i
		}
		n.fields[name] = f
	}
	for re, sub := range s.PatternProperties {
		p, ok := re.(*scalar.Pattern)
		if !ok {
			n.opaque = true
			continue
		}
		n.patterns = append(n.patterns, patternField{p, b.node(sub)})
	}
	n.extra = b.boolOrNode(s.AdditionalProperties)
	n.names = b.node(s.PropertyNames)
	if s.UnevaluatedProperties != nil {
		n.otherMembers = append(n.otherMembers, b.node(s.UnevaluatedProperties))
		n.opaque = true
	}
}

// anyString reports whether every member name satisfies the node, as is the
// case with {"type": "string"}, which generators like to write.
func (n *Node) anyString() bool {
	return n.always || !n.never && !n.opaque && n.rule.AnyString() && len(n.inPlace()) == 0
}

func (b *builder) boolOrNode(v any) *Node {
	switch v := v.(type) {
	case bool:
		return &Node{always: v, never: !v}
	case *jsonschema.Schema:
		return b.node(v)
	}
	return nil
}

// inPlace returns every node that may be applied to the same value.
func (n *Node) inPlace() []*Node {
	var out []*Node
	for _, set := range [][]*Node{n.all, n.any, n.one, n.late} {
		out = append(out, set...)
	}
	for _, sub := range []*Node{n.not, n.cond, n.then, n.els} {
		if sub != nil {
			out = append(out, sub)
		}
	}
	return out
}
