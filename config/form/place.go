package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"mcp-gateway/gateway"
)

// Place is one node of a document. Rules that look at several keys report
// their problems through it.
type Place struct {
	doc  *Document
	node ast.Node
}

// Pos returns where the node begins.
func (p Place) Pos() gateway.Pos { return p.doc.posOf(p.token()) }

// Report adds a problem at the place.
func (p Place) Report(code, format string, args ...any) {
	p.doc.report(p.Pos(), code, fmt.Sprintf(format, args...))
}

// Problem returns a problem at the place, with its excerpt, for what can only be
// judged after the document was read.
func (p Place) Problem(code, format string, args ...any) gateway.Problem {
	pos := p.Pos()
	return gateway.Problem{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...), Excerpt: p.doc.excerpt(pos)}
}

// Has reports whether the place is a mapping with that key.
func (p Place) Has(key string) bool {
	_, ok := p.lookup(key)
	return ok
}

// Child follows keys down and returns the deepest place that exists, so that a
// problem with something absent is reported at what should hold it.
func (p Place) Child(keys ...string) Place {
	for _, key := range keys {
		next, ok := p.lookup(key)
		if !ok {
			return p
		}
		p.node = next
	}
	return p
}

// Item returns the place of the i-th item of a list, or the list's own.
func (p Place) Item(i int) Place {
	if seq, ok := p.node.(*ast.SequenceNode); ok && i < len(seq.Values) {
		p.node = seq.Values[i]
	}
	return p
}

// holds reports whether a scalar of the place, or within it, begins at the position.
func (p Place) holds(pos gateway.Pos) bool {
	if _, scalar := scalarOf(p.node); scalar {
		return p.Pos() == pos
	}
	for _, pair := range Pairs(p.node) {
		if (Place{p.doc, pair.Value}).holds(pos) {
			return true
		}
	}
	if seq, ok := p.node.(*ast.SequenceNode); ok {
		return slices.ContainsFunc(seq.Values, func(n ast.Node) bool { return (Place{p.doc, n}).holds(pos) })
	}
	return false
}

// Mask keeps a secret at the place out of every excerpt.
func (p Place) Mask() { p.hide("[secret]") }

// elide keeps out of excerpts what was not understood and so may be a secret.
func (p Place) elide() { p.hide("…") }

func (p Place) hide(behind string) {
	lines := 1
	if s, ok := scalarOf(p.node); ok {
		lines += strings.Count(s.text, "\n")
	}
	p.doc.masks = append(p.doc.masks, mask{pos: p.Pos(), lines: lines, text: behind})
}

func (p Place) lookup(key string) (ast.Node, bool) {
	for _, pair := range Pairs(p.node) {
		if KeyText(pair) == key {
			return pair.Value, true
		}
	}
	return nil, false
}

// token returns the token that a caret should point to: of a mapping its first
// key rather than the colon after it.
func (p Place) token() *token.Token {
	switch n := p.node.(type) {
	case nil:
		return nil
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key.GetToken()
		}
		return n.GetToken()
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	default:
		return n.GetToken()
	}
}

// Pairs returns the entries of a mapping in their order, nothing for other nodes.
func Pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// KeyText returns the key of an entry.
func KeyText(pair *ast.MappingValueNode) string { return pair.Key.GetToken().Value }

// IsNull reports whether a node is nothing: absent, or null.
func IsNull(n ast.Node) bool {
	if n == nil {
		return true
	}
	_, null := n.(*ast.NullNode)
	return null
}

// Empty reports whether the place is an empty list or mapping, or nothing.
func (p Place) Empty() bool {
	switch n := p.node.(type) {
	case *ast.SequenceNode:
		return len(n.Values) == 0
	case *ast.MappingNode:
		return len(n.Values) == 0
	}
	return IsNull(p.node)
}
