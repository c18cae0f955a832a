package audit

import (
	"bytes"
	"errors"

	"mcp-gateway/audit/shape"
)

// ErrNotEvent says that bytes are not an event in the one form in which
// AppendJSON writes it.
var ErrNotEvent = errors.New("audit: not an event in canonical form")

// opening begins every event of this SchemaVersion.
const opening = `{"v":1`

// AppendJSON appends the event as one JSON object without a line break. Nothing
// but dst is allocated where nothing is left out. It cannot fail: what has not its shape is written as
// "invalid", and of what would be longer than its type may be, fields are left out.
func AppendJSON(dst []byte, e *Event) []byte {
	start := len(dst)
	dst = appendFields(dst, e)
	if most, steps := limits(e.Type); most > 0 && len(dst)-start > most {
		short := within(e, most, steps)
		dst = appendFields(dst[:start], &short)
	}
	return dst
}

func appendFields(dst []byte, e *Event) []byte {
	dst = append(dst, opening...)
	for i := range fields {
		start := len(dst)
		dst = append(dst, fields[i].key...)
		value := len(dst)
		if dst = fields[i].put(dst, e); len(dst) == value {
			dst = dst[:start]
		}
	}
	return append(dst, '}')
}

// Decode reads back what AppendJSON wrote, and nothing else: an unknown or
// repeated member, another order, white space, an escape or a value in another
// notation give ErrNotEvent. The event keeps no reference to line.
func Decode(line []byte, e *Event) error {
	*e = Event{}
	rest, ok := bytes.CutPrefix(line, []byte(opening))
	if !ok {
		return ErrNotEvent
	}
	for i := range fields {
		after, found := bytes.CutPrefix(rest, []byte(fields[i].key))
		if !found {
			continue
		}
		value, tail, ok := shape.CutValue(after)
		if !ok || !fields[i].get(e, value) {
			return ErrNotEvent
		}
		rest = tail
	}
	// Written again it must be the same bytes: leading zeros, empty members and
	// words that are not of their shape end here.
	if string(rest) != "}" || !bytes.Equal(appendFields(make([]byte, 0, len(line)), e), line) {
		return ErrNotEvent
	}
	return nil
}
