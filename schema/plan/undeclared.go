package plan

import (
	"mcp-gateway/protocol/rawjson"
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/schema/plan/scan"
)

// Undeclared returns JSON Pointers to the members of the checked JSON value
// that no schema declares at their place, at most limit of them, in the order
// of the value.
//
// A member is declared by properties, by patternProperties that match, and by
// additionalProperties or unevaluatedProperties that are written out and not
// false; an absent additionalProperties declares nothing. What applies at a
// place is the union over $ref, allOf, anyOf, oneOf, if, then, else and
// dependent schemas, whether or not the value satisfies them; not is left out.
//
// Below the root a free-form object, one at whose place no schema names any
// member, is declared by the member that holds it, and so is all that it holds.
//
// Once fuel, roughly the number of subschemas gathered and of patterns matched, is spent, the answer is
// the empty pointer: the value as a whole cannot be vouched for.
func (n *Node) Undeclared(raw []byte, limit, fuel int) []string {
	u := undeclared{b: raw, limit: limit, fuel: fuel}
	u.value([]*Node{n}, rawjson.SkipSpace(raw, 0), nil)
	if u.fuel < 0 {
		return []string{""}
	}
	return u.found
}

type undeclared struct {
	b     []byte
	limit int
	fuel  int
	found []string
}

// step is one token of the path to a value; the root has none.
type step struct {
	up    *step
	name  []byte // nil = an index
	index int
}

// pointer returns the path in RFC 6901 form, with one token more.
func (s *step) pointer(last []byte) string {
	tokens := []string{Escape(string(last))}
	for ; s != nil; s = s.up {
		if s.name != nil {
			tokens = append(tokens, Escape(string(s.name)))
		} else {
			tokens = append(tokens, strconv.Itoa(s.index))
		}
	}
	slices.Reverse(tokens)
	return "/" + strings.Join(tokens, "/")
}

// Escape writes a name as a token of a JSON Pointer.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// value looks at the value that starts at i, to which the nodes apply, and
// returns the index after it.
func (u *undeclared) value(nodes []*Node, i int, at *step) int {
	if i >= len(u.b) || u.b[i] != '{' && u.b[i] != '[' || len(u.found) >= u.limit || u.fuel < 0 {
		return rawjson.SkipValue(u.b, i)
	}
	var buf [8]*Node
	here := buf[:0]
	for _, n := range nodes {
		here = u.gather(here, n)
	}
	if u.b[i] == '[' {
		return u.array(here, i, at)
	}
	if at != nil && !slices.ContainsFunc(here, (*Node).namesMembers) {
		return rawjson.SkipValue(u.b, i)
	}
	return u.object(here, i, at)
}

// gather adds n and what applies in place with it, each once.
func (u *undeclared) gather(set []*Node, n *Node) []*Node {
	if u.fuel -= 1 + len(set)/16; u.fuel < 0 || slices.Contains(set, n) {
		return set
	}
	set = append(set, n)
	for _, list := range [...][]*Node{n.all, n.any, n.one, n.late} {
		for _, sub := range list {
			set = u.gather(set, sub)
		}
	}
	for _, sub := range [...]*Node{n.cond, n.then, n.els} {
		if sub != nil {
			set = u.gather(set, sub)
		}
	}
	return set
}

func (n *Node) namesMembers() bool {
	return n.declared > 0 || len(n.patterns) > 0 || n.extra != nil || len(n.otherMembers) > 0
}

func (u *undeclared) array(here []*Node, i int, at *step) int {
	index := 0
	pos, more := scan.Next(u.b, i+1)
	for more && u.fuel >= 0 {
		var buf [4]*Node
		apply := buf[:0]
		for _, n := range here {
			if index < len(n.prefix) {
				apply = append(apply, n.prefix[index])
			} else if n.rest != nil {
				apply = append(apply, n.rest)
			}
			apply = append(apply, n.otherItems...)
		}
		end := u.value(apply, pos, &step{up: at, index: index})
		index++
		pos, more = scan.Next(u.b, end)
	}
	return pos + 1
}

func (u *undeclared) object(here []*Node, i int, at *step) int {
	pos, more := scan.Next(u.b, i+1)
	for more && u.fuel >= 0 {
		name, start := scan.Member(u.b, pos)
		var buf [4]*Node
		apply := buf[:0]
		for _, n := range here {
			apply = u.declaring(apply, n, name)
		}
		end := 0
		if len(apply) == 0 {
			if len(u.found) < u.limit {
				u.found = append(u.found, at.pointer(name))
			}
			end = rawjson.SkipValue(u.b, start)
		} else {
			end = u.value(apply, start, &step{up: at, name: name})
		}
		pos, more = scan.Next(u.b, end)
	}
	return pos + 1
}

// declaring adds the nodes through which n declares the member.
func (u *undeclared) declaring(set []*Node, n *Node, name []byte) []*Node {
	known := false
	if f := n.fields[string(name)]; f.node != nil {
		set, known = append(set, f.node), true
	}
	for _, p := range n.patterns {
		if u.fuel -= p.re.Cost(len(name)); u.fuel < 0 {
			return set
		}
		if p.re.Match(name) {
			set, known = append(set, p.node), true
		}
	}
	if !known && n.extra != nil && !n.extra.never {
		set = append(set, n.extra)
	}
	for _, other := range n.otherMembers {
		if !other.never {
			set = append(set, other)
		}
	}
	return set
}
