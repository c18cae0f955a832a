package diff

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/protocol"
)

// Kind says what happened at a place.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is one difference. All its strings are safe to print: what does not
// show is escaped as \u{…}.
type Change struct {
	Pointer string // JSON Pointer (RFC 6901) into the definition
	Kind    Kind
	Class   Class
	Old     string // bounded; "" when added
	New     string // bounded; "" when removed

	Direction Direction // of what a schema takes
	Was, Is   []byte    // the values as sent, whole, nil where there is none: for other programs, not safe to print
	Words     string    // of a text that changed: word by word, bounded; else ""
}

// Definitions returns how the new definition of a tool differs from the old, in
// the order of their pointers. Both must be strictly checked JSON. Definitions
// of equal digest have no difference.
func Definitions(old, new []byte) []Change {
	var w walk
	w.value(nil, place{kind: inTool, class: Other}, old, new)
	return w.found
}

// Upstreams returns how what an upstream is now differs from what it was: objects of
// package identity, to which its instructions may be added.
func Upstreams(old, new []byte) []Change {
	var w walk
	w.value(nil, place{kind: inUpstream, class: Launch}, old, new)
	return w.found
}

type walk struct {
	found []Change
	whole bool      // within a schema that came or went as a whole
	by    Direction // of that
}

// value compares two values; nil stands for one that is not there.
func (w *walk) value(path []string, at place, old, new []byte) {
	if at.kind == inSchema && (old == nil) != (new == nil) && !w.whole {
		w.whole, w.by = true, cameOrWent(path, old == nil)
		defer func() { w.whole = false }()
	}
	switch {
	case old != nil && new != nil && protocol.Equal(old, new):
	case isAll('{', old, new) && (hasMembers(old) || hasMembers(new)):
		w.object(path, at, old, new)
	case isAll('[', old, new) && (at.kind == inSchema || at.kind == inArguments):
		w.list(path, at, elements(old), elements(new))
	case isAll('[', old, new) && at.set:
		w.set(path, at, elements(old), elements(new))
	default:
		w.leaf(path, at.class, old, new)
	}
}

// object compares member by member. One that was added whole is told part by
// part too, so that no long text hides behind a short beginning.
func (w *walk) object(path []string, at place, old, new []byte) {
	was, is := members(old), members(new)
	names := slices.Collect(maps.Keys(was))
	for name := range is {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if at.kind == inNames {
		w.renamed(path, was, is)
	}
	for _, name := range names {
		w.value(append(slices.Clone(path), name), at.below(name), was[name], is[name])
	}
}

// list compares position by position.
func (w *walk) list(path []string, at place, old, new [][]byte) {
	for i := range max(len(old), len(new)) {
		var a, b []byte
		if i < len(old) {
			a = old[i]
		}
		if i < len(new) {
			b = new[i]
		}
		w.value(append(slices.Clone(path), strconv.Itoa(i)), at, a, b)
	}
}

// set compares lists of which the order means nothing. If only the order is
// different, the list as a whole has changed.
func (w *walk) set(path []string, at place, old, new [][]byte) {
	before := len(w.found)
	added := at.class
	if added == InputType {
		added = InputRequiredAdded
	}
	was, is := canonical(old), canonical(new)
	for _, v := range old {
		if !is[string(protocol.AppendCanonical(nil, v))] {
			w.leaf(path, at.class, v, nil)
		}
	}
	for _, v := range new {
		if !was[string(protocol.AppendCanonical(nil, v))] {
			w.leaf(path, added, nil, v)
		}
	}
	for i := before; i < len(w.found); i++ {
		w.found[i].Direction = w.directed(ofSet(at.class == Enum, old == nil, new == nil, w.found[i].Kind))
	}
	if len(w.found) == before {
		w.leaf(path, at.class, join(old), join(new))
	}
}

func (w *walk) leaf(path []string, class Class, old, new []byte) {
	c := Change{Pointer: pointer(path), Kind: Changed, Class: class}
	if len(path) > 0 && (class == InputType || class == OutputSchema) {
		c.Direction = w.directed(direction(path[len(path)-1], old, new))
	}
	switch {
	case old == nil:
		c.Kind = Added
	case new == nil:
		c.Kind = Removed
	}
	was, is := shown(old), shown(new)
	if (class == Description || class == Instructions) && old != nil && new != nil {
		c.Words = Words(string(was), string(is))
		if unitChanged(was, is) {
			c.Class = Unit
		}
	}
	c.Old, c.New = window(was, is)
	c.Was, c.Is = old, new
	w.found = append(w.found, c)
}

// directed is the direction of a change, or that of the whole of which it is a part.
func (w *walk) directed(d Direction) Direction {
	if w.whole {
		return w.by
	}
	return d
}

// renamed tells of arguments that only count in another unit now: the same number means
// something else.
func (w *walk) renamed(path []string, was, is map[string][]byte) {
	for _, old := range slices.Sorted(maps.Keys(was)) {
		if is[old] != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if was[name] == nil && inOtherUnits(old, name) {
				w.found = append(w.found, Change{
					Pointer: pointer(append(slices.Clone(path), name)), Kind: Changed, Class: Unit, Old: Visible(old), New: Visible(name), Was: protocol.AppendString(nil, old), Is: protocol.AppendString(nil, name)})
			}
		}
	}
}

// isAll says whether what is there of both is of one kind.
func isAll(kind byte, old, new []byte) bool {
	return (old == nil || protocol.Kind(old) == kind) && (new == nil || protocol.Kind(new) == kind)
}

func hasMembers(raw []byte) bool {
	for range protocol.Members(raw) {
		return true
	}
	return false
}

func members(raw []byte) map[string][]byte {
	all := map[string][]byte{}
	for name, value := range protocol.Members(raw) {
		all[string(name)] = value
	}
	return all
}

func elements(raw []byte) [][]byte {
	if raw == nil {
		return nil
	}
	return slices.Collect(protocol.Elements(raw))
}

func canonical(list [][]byte) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, v := range list {
		set[string(protocol.AppendCanonical(nil, v))] = true
	}
	return set
}

// join writes a list out again, without the space between its elements.
func join(list [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(list, []byte(",")), []byte("]"))
}

func pointer(path []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, token := range path {
		b.WriteString("/" + Visible(escape.Replace(token)))
	}
	return b.String()
}
