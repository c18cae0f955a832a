package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"mcp-gateway/config/form"
)

// Pair is one key of a mapping and the text that becomes its value, on one
// line; Remove takes the key away instead.
type Pair struct {
	Key, Value string
	Remove     bool
}

// ErrFlow says that an edit would have to take a map written in braces apart.
var ErrFlow = errors.New("edit: a map written in braces is in the way; write it in block style first")

// ErrShape says that something other than a mapping is where one is wanted.
var ErrShape = errors.New("edit: not a mapping")

// Set sets keys of the mapping at path, which it makes where it is missing,
// and leaves every other line of text as it is, byte for byte. Comments at the
// end of a changed line stay. A mapping in braces that is itself the one at
// path is rewritten as a block.
func Set(file string, text []byte, path []string, pairs []Pair) ([]byte, error) {
	d := form.Parse(file, text, len(text))
	if !d.Readable() {
		return nil, d.Problems()
	}
	root, tokens := d.Tree()
	e := &editor{root: root, tokens: tokens, lines: strings.SplitAfter(string(text), "\n"), eol: "\n"}
	if strings.Contains(string(text), "\r\n") {
		e.eol = "\r\n"
	}
	if err := e.set(path, pairs); err != nil {
		return nil, err
	}
	return []byte(e.text()), nil
}

// editor collects replacements of whole lines and applies them at the end, so
// that line numbers stay those of the parsed text.
type editor struct {
	root    ast.Node
	tokens  token.Tokens
	lines   []string // with their line ends
	eol     string
	patches []patch
}

// patch replaces lines [from, to), counted from 0.
type patch struct {
	from, to int
	with     []string
}

func (e *editor) set(path []string, pairs []Pair) error {
	node, at := e.root, span{0, lastContent(e.lines)}
	indent, step := 0, 2
	for i, key := range path {
		m, ok := block(node)
		if !ok {
			return e.misfit(node)
		}
		indent = columnOf(m, indent)
		pair := find(m, key)
		if pair == nil {
			e.insert(at.to, nest(indent, step, path[i:], pairs))
			return nil
		}
		at = e.span(pair)
		rest, flow := path[i+1:], isFlow(pair.Value)
		switch {
		case form.IsNull(pair.Value) || flow && len(form.Pairs(pair.Value)) == 0:
			e.replaceValue(pair, at, "")
			e.insert(at.to, nest(indent+step, step, rest, pairs))
			return nil
		case flow && len(rest) > 0:
			return ErrFlow
		case flow:
			return e.unfold(pair, at, indent, pairs)
		}
		node = pair.Value
		if inner := columnOf(form.Pairs(node), indent+step); inner > indent {
			step = inner - indent // the file's own habit
		}
		indent += step
	}
	m, ok := block(node)
	if !ok {
		return e.misfit(node)
	}
	e.change(m, at, columnOf(m, indent), pairs)
	return nil
}

func (e *editor) misfit(n ast.Node) error {
	if isFlow(n) {
		return ErrFlow
	}
	return fmt.Errorf("%w: line %d", ErrShape, n.GetToken().Position.Line)
}

// change sets keys of a block mapping: in their place where they are there, in
// the given order at the end where they are not.
func (e *editor) change(m []*ast.MappingValueNode, at span, indent int, pairs []Pair) {
	var added []string
	for _, p := range pairs {
		pair := find(m, p.Key)
		switch {
		case pair == nil && !p.Remove:
			added = append(added, line(indent, p))
		case pair != nil && p.Remove:
			s := e.span(pair)
			e.patches = append(e.patches, patch{s.from, s.to, nil})
		case pair != nil:
			e.replaceValue(pair, e.span(pair), p.Value)
		}
	}
	e.insert(at.to, added)
}

// replaceValue rewrites a pair as "key: value" with the comment that stood
// at the end of its first line.
func (e *editor) replaceValue(pair *ast.MappingValueNode, at span, value string) {
	key := pair.Key.GetToken()
	first := []rune(strings.TrimRight(e.lines[at.from], "\r\n"))
	colon := pair.Start.Position.Column // counts from 1: the index after the colon
	with := string(first[:min(colon, len(first))])
	if value != "" {
		with += " " + value
	}
	if with += e.comment(key.Position.Line, first); isFlow(pair.Value) && at.to > at.from+1 {
		with += e.comment(at.to, []rune(strings.TrimRight(e.lines[at.to-1], "\r\n")))
	}
	e.patches = append(e.patches, patch{at.from, at.to, []string{with}})
}

// comment returns the comment at the end of a line with the blanks before it.
func (e *editor) comment(number int, text []rune) string {
	for _, tk := range e.tokens {
		if tk.Type == token.CommentType && tk.Position.Line == number {
			i := min(tk.Position.Column-1, len(text))
			for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
				i--
			}
			return string(text[i:])
		}
	}
	return ""
}

// unfold rewrites a mapping in braces as a block with the pairs set. Comments
// between the braces would have no place in it.
func (e *editor) unfold(pair *ast.MappingValueNode, at span, indent int, pairs []Pair) error {
	for _, tk := range e.tokens {
		if tk.Type == token.CommentType && tk.Position.Line > at.from && tk.Position.Line < at.to {
			return ErrFlow
		}
	}
	e.replaceValue(pair, at, "")
	var with []string
	old := form.Pairs(pair.Value)
	for _, p := range old {
		set := Pair{Key: form.KeyText(p), Value: p.Value.String()}
		if i := slices.IndexFunc(pairs, func(q Pair) bool { return q.Key == set.Key }); i >= 0 {
			set = pairs[i]
		}
		if !set.Remove {
			with = append(with, line(indent+2, set))
		}
	}
	for _, p := range pairs {
		if !p.Remove && find(old, p.Key) == nil {
			with = append(with, line(indent+2, p))
		}
	}
	e.insert(at.to, with)
	return nil
}

func (e *editor) insert(before int, with []string) {
	if len(with) > 0 {
		e.patches = append(e.patches, patch{before, before, with})
	}
}

// text applies the patches from the last line to the first.
func (e *editor) text() string {
	lines := e.lines
	slices.SortStableFunc(e.patches, func(a, b patch) int { return b.from - a.from })
	for _, p := range e.patches {
		with := make([]string, len(p.with))
		for i, s := range p.with {
			with[i] = s + e.eol
		}
		if p.from > 0 && len(with) > 0 && p.from <= len(lines) && !strings.HasSuffix(lines[p.from-1], "\n") && lines[p.from-1] != "" {
			lines[p.from-1] += e.eol // the file did not end in a line break
		}
		lines = slices.Replace(lines, p.from, p.to, with...)
	}
	return strings.Join(lines, "")
}

// span is the lines [from, to) of a pair, counted from 0.
type span struct{ from, to int }

// span finds the lines of a pair in a block: all that follow and are indented
// deeper than its key, or are items of a list at its own column.
func (e *editor) span(pair *ast.MappingValueNode) span {
	pos := pair.Key.GetToken().Position
	from := pos.Line - 1
	end := max(from+1, closingLine(pair.Value))
	_, isList := pair.Value.(*ast.SequenceNode)
	for i := end; i < len(e.lines); i++ {
		text := strings.TrimLeft(e.lines[i], " ")
		if strings.TrimSpace(text) == "" {
			continue
		}
		depth := len(e.lines[i]) - len(text)
		item := isList && depth == pos.Column-1 && strings.HasPrefix(text, "-")
		if depth < pos.Column && !item {
			if strings.HasPrefix(text, "#") {
				continue
			}
			break
		}
		end = i + 1
	}
	return span{from, end}
}

// closingLine returns the line of the bracket that ends a flow collection,
// which may be indented less than its key; 0 for other nodes.
func closingLine(n ast.Node) int {
	var end *token.Token
	switch n := n.(type) {
	case *ast.MappingNode:
		end = n.End
	case *ast.SequenceNode:
		end = n.End
	}
	if end == nil {
		return 0
	}
	return end.Position.Line
}

// lastContent returns the line after the last one that is not blank.
func lastContent(lines []string) int {
	for i := len(lines); i > 0; i-- {
		if strings.TrimSpace(lines[i-1]) != "" {
			return i
		}
	}
	return 0
}

// block returns the pairs of a mapping in block style; nothing is an empty one.
func block(n ast.Node) ([]*ast.MappingValueNode, bool) {
	if form.IsNull(n) {
		return nil, true
	}
	return form.Pairs(n), form.IsMapping(n) && !isFlow(n)
}

func isFlow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.IsFlowStyle
	case *ast.MappingValueNode:
		return n.IsFlowStyle
	}
	return false
}

func find(m []*ast.MappingValueNode, key string) *ast.MappingValueNode {
	for _, pair := range m {
		if form.KeyText(pair) == key {
			return pair
		}
	}
	return nil
}

// columnOf returns the indent of a block's keys, or the given one if it has none.
func columnOf(m []*ast.MappingValueNode, indent int) int {
	if len(m) == 0 {
		return indent
	}
	return m[0].Key.GetToken().Position.Column - 1
}

// nest renders pairs below a path of new keys.
func nest(indent, step int, path []string, pairs []Pair) []string {
	var out []string
	for _, key := range path {
		out = append(out, line(indent, Pair{Key: key}))
		indent += step
	}
	for _, p := range pairs {
		if !p.Remove {
			out = append(out, line(indent, p))
		}
	}
	return out
}

func line(indent int, p Pair) string {
	return strings.TrimRight(strings.Repeat(" ", indent)+Quote(p.Key)+": "+p.Value, " ")
}
