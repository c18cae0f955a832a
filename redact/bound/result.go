package bound

import (
	"strconv"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/edit"
)

// Limits are in bytes of JSON; 0 is no limit.
type Limits struct {
	Item   int // of one element of an array of content
	Result int // of all of a result
}

// room is what of a result is kept free for the marker and for what _meta says.
const room = 1 << 10

// Exceeds reports whether an object is more than may be delivered.
func (l Limits) Exceeds(object []byte) bool { return l.Result > 0 && len(object) > l.Result }

// Cut returns a result within the limits, and whether anything is missing of it; it is
// the slice that came where nothing is. list names its array of content: of that, texts that are too long are
// cut at their end, other items that are too long make room for a marker, and what is
// behind the limit of the whole is left out, with a marker that counts it. total is
// how long the result was when it came.
//
// All else is kept as it is, since half a value would be read as a whole one: ok is
// false where there is too much of that.
func (l Limits) Cut(raw []byte, list string, total int) (out []byte, cut, ok bool) {
	if l.within(len(raw)) {
		return raw, false, true
	}
	items, _ := protocol.Member(raw, list)
	t := trim{limits: l, list: list, left: len(raw)}
	if l.Result > 0 {
		t.left = l.Result - room - (len(raw) - len(items))
	}
	if t.left < 0 || protocol.Kind(items) != '[' && l.Exceeds(raw) {
		return nil, false, false
	}
	t.out = append(make([]byte, 0, min(len(items), t.left+room)), '[')
	for item := range protocol.Elements(items) {
		t.item(item)
	}
	if !t.cut && t.missing == 0 {
		return raw, false, true
	}
	if t.missing > 0 {
		t.append(note(t.list, t.last, "items left out: "+strconv.Itoa(t.missing)+"; ask for less at a time"))
	}
	return t.told(edit.With(raw, []string{list}, append(t.out, ']')), total), true, true
}

// within says that neither limit can be exceeded by so many bytes.
func (l Limits) within(n int) bool {
	return (l.Item <= 0 || n <= l.Item) && (l.Result <= 0 || n <= l.Result)
}

// trim is an array that is being cut.
type trim struct {
	limits  Limits
	list    string
	out     []byte
	left    int    // bytes of all items that may follow
	cut     bool   // some item is not whole
	noted   int    // items with a note in their place
	missing int    // items that are left out at the end
	last    []byte // one of them
}

// least is what of a text must have room for it to be cut rather than left out.
const least = 512

func (t *trim) item(item []byte) {
	limit := t.left - 1 // and a comma
	if t.limits.Item > 0 {
		limit = min(limit, t.limits.Item)
	}
	switch {
	case t.missing > 0, limit < least && len(item) > limit:
		t.missing, t.last = t.missing+1, item
		return
	case len(item) > limit:
		short, kept := shorten(t.list, item, limit)
		if item, t.cut = short, true; !kept {
			t.noted++
		}
	}
	t.left -= len(item) + 1
	t.append(item)
}

func (t *trim) append(item []byte) {
	if len(t.out) > 1 {
		t.out = append(t.out, ',')
	}
	t.out = append(t.out, item...)
}

// told says in the _meta of a result what became of it.
func (t *trim) told(result []byte, total int) []byte {
	meta, _ := protocol.Member(result, "_meta")
	own := append(protocol.AppendString([]byte{'{'}, TruncatedKey), ':')
	own = append(appendFacts(own, total), `,"left_out":`...)
	own = append(strconv.AppendInt(own, int64(t.noted+t.missing), 10), '}')
	if protocol.Kind(meta) != '{' {
		out := append(append(make([]byte, 0, len(result)+len(own)+16), `{"_meta":`...), own...)
		out = append(out, '}')
		for name, value := range protocol.Members(result) {
			if string(name) != "_meta" {
				out = append(append(protocol.AppendString(append(out, ','), string(name)), ':'), value...)
			}
		}
		return append(out, '}')
	}
	for name, value := range protocol.Members(meta) {
		if string(name) != TruncatedKey {
			own = append(append(protocol.AppendString(append(own, ','), string(name)), ':'), value...)
		}
	}
	return edit.With(result, []string{"_meta"}, append(own, '}'))
}
