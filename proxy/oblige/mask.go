package oblige

import (
	"strconv"
	"strings"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/present"
)

// Masked stands where a text was that is not released.
const Masked = "[masked]"

// Arguments returns the arguments without what the pointers name: a member is
// left out, an element of an array becomes null. The token * stands for every
// element of an array. What is not there needs no masking.
func Arguments(raw []byte, pointers []string) []byte {
	return edit(make([]byte, 0, len(raw)), raw, treeOf(pointers), nil)
}

// Result returns a tool's result without what the pointers name in its
// structuredContent: a text becomes "[masked]", another member is left out, an
// element of an array becomes null; so does a value that stands where a pointer goes
// on, and in which it can't. A text block is masked alike where it is JSON that says
// the same as structuredContent or, without that, in which every pointer leads to a
// value. Any other block may hold the same in another shape and is replaced; members
// that could are left out, and of _meta all but the gateway's own word.
func Result(raw []byte, pointers []string, limits protocol.Limits) []byte {
	t := treeOf(pointers)
	structured, _ := protocol.Member(raw, "structuredContent")
	out := append(make([]byte, 0, len(raw)), '{')
	for name, value := range protocol.Members(raw) {
		before := len(out)
		out = append(protocol.AppendString(out, string(name)), ':')
		switch string(name) {
		case "structuredContent":
			if !t.fits(value) {
				value = masked(value)
			} else {
				value = edit(nil, value, t, masked)
			}
		case "content":
			value = blocks(nil, value, structured, t, limits)
		case "_meta":
			value = ownMeta(value)
		case "isError":
			if protocol.Kind(value) != 't' && protocol.Kind(value) != 'f' {
				value = nil
			}
		case "resultType":
			if !protocol.IsText(value, protocol.ResultComplete) {
				value = nil
			}
		default:
			value = nil
		}
		if value == nil {
			out = out[:before]
			continue
		}
		out = append(append(out, value...), ',')
	}
	return closed(out, '}')
}

// ownMeta keeps of a _meta what the gateway says in it: what looked so and was not its own
// has been taken out before. It is nil where nothing is left.
func ownMeta(meta []byte) []byte {
	if protocol.Kind(meta) != '{' {
		return nil
	}
	out := []byte{'{'}
	for name, value := range protocol.Members(meta) {
		if strings.HasPrefix(string(name), present.OwnPrefix) {
			out = append(append(append(protocol.AppendString(out, string(name)), ':'), value...), ',')
		}
	}
	if len(out) == 1 {
		return nil
	}
	return closed(out, '}')
}

// tree is a set of pointers by their tokens.
type tree struct {
	under map[string]*tree
	leaf  bool
}

func treeOf(pointers []string) *tree {
	root := &tree{under: map[string]*tree{}}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, p := range pointers {
		at := root
		for token := range strings.SplitSeq(strings.TrimPrefix(p, "/"), "/") {
			token = unescape.Replace(token)
			next := at.under[token]
			if next == nil {
				next = &tree{under: map[string]*tree{}}
				at.under[token] = next
			}
			at = next
		}
		at.leaf = true
	}
	return root
}

// fits reports whether the pointers can go on in a value: by names in an object, by
// indexes in an array. Null says nothing and fits.
func (t *tree) fits(value []byte) bool {
	switch protocol.Kind(value) {
	case 'n':
		return true
	case '{':
		_, named := protocol.Member(value, "*")
		return t.under["*"] == nil || named
	case '[':
		for token := range t.under {
			if _, err := strconv.ParseUint(token, 10, 32); err != nil && token != "*" {
				return false
			}
		}
		return true
	}
	return false
}

// leads reports whether every pointer leads to something in a value.
func (t *tree) leads(value []byte) bool {
	kind := protocol.Kind(value)
	if kind == 'n' || !t.fits(value) {
		return false
	}
	if kind == '{' {
		for token, next := range t.under {
			member, there := protocol.Member(value, token)
			if !there || !next.leaf && !next.leads(member) {
				return false
			}
		}
		return true
	}
	i := 0
	for element := range protocol.Elements(value) {
		next := t.element(i)
		i++
		if next != nil && !next.leaf && !next.leads(element) {
			return false
		}
	}
	for token := range t.under {
		if n, err := strconv.Atoi(token); err == nil && n >= i {
			return false
		}
	}
	return true
}

// hides reports whether a value is taken out whole: the pointers name it or, in a
// result, stop short at it.
func (t *tree) hides(value []byte, instead func([]byte) []byte) bool {
	return t != nil && (t.leaf || instead != nil && !t.fits(value))
}

// element is what the pointers say of the i-th element of an array.
func (t *tree) element(i int) *tree {
	all, one := t.under["*"], t.under[strconv.Itoa(i)]
	switch {
	case all == nil:
		return one
	case one == nil:
		return all
	}
	both := &tree{under: map[string]*tree{}, leaf: all.leaf || one.leaf}
	for _, part := range []*tree{all, one} {
		for token, next := range part.under {
			if both.under[token] == nil || next.leaf {
				both.under[token] = next
			}
		}
	}
	return both
}

// masked is what is released in place of a text.
func masked(value []byte) []byte {
	if protocol.Kind(value) == '"' {
		return []byte(`"` + Masked + `"`)
	}
	return nil
}

// edit appends a value without what the tree names. instead gives what stands in
// its place, nil for nothing; without it nothing ever does.
func edit(dst, value []byte, t *tree, instead func([]byte) []byte) []byte {
	switch protocol.Kind(value) {
	case '{':
		return editObject(dst, value, t, instead)
	case '[':
		return editArray(dst, value, t, instead)
	default:
		return append(dst, value...)
	}
}

func editObject(dst, value []byte, t *tree, instead func([]byte) []byte) []byte {
	dst = append(dst, '{')
	for name, member := range protocol.Members(value) {
		next := t.under[string(name)]
		if next.hides(member, instead) {
			if instead == nil || instead(member) == nil {
				continue
			}
			member = instead(member)
			next = nil
		}
		dst = append(protocol.AppendString(dst, string(name)), ':')
		if next == nil {
			dst = append(dst, member...)
		} else {
			dst = edit(dst, member, next, instead)
		}
		dst = append(dst, ',')
	}
	return closed(dst, '}')
}

func editArray(dst, value []byte, t *tree, instead func([]byte) []byte) []byte {
	dst = append(dst, '[')
	i := 0
	for element := range protocol.Elements(value) {
		next := t.element(i)
		i++
		switch {
		case next == nil:
			dst = append(dst, element...)
		case !next.hides(element, instead):
			dst = edit(dst, element, next, instead)
		case instead != nil && instead(element) != nil:
			dst = append(dst, instead(element)...)
		default:
			dst = append(dst, "null"...)
		}
		dst = append(dst, ',')
	}
	return closed(dst, ']')
}

// blocks appends the content of a tool's result, masked.
func blocks(dst, content, structured []byte, t *tree, limits protocol.Limits) []byte {
	dst = append(dst, '[')
	for block := range protocol.Elements(content) {
		kind, _ := protocol.Member(block, "type")
		raw, _ := protocol.Member(block, "text")
		text, isText := protocol.Text(raw)
		inner := []byte(text)
		if protocol.IsText(kind, "text") && isText && protocol.Check(inner, limits) == nil && t.knows(inner, structured) {
			inner = edit(nil, inner, t, masked)
		} else {
			inner = []byte(Masked)
		}
		dst = append(protocol.AppendString(append(dst, `{"type":"text","text":`...), string(inner)), "},"...)
	}
	return closed(dst, ']')
}

// knows reports whether JSON in a text has the very shape that is masked. That of
// structuredContent was held against the pinned schema.
func (t *tree) knows(inner, structured []byte) bool {
	if structured != nil {
		return t.fits(structured) && protocol.Kind(structured) == '{' && protocol.Equal(inner, structured)
	}
	return protocol.Kind(inner) == '{' && t.leads(inner)
}

// closed ends an object or array whose members each end with a comma.
func closed(dst []byte, with byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, with)
}
