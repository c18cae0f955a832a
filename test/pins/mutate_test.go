package pins

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

// value is JSON with its order and its number spellings.
type value struct {
	kind    byte // '{', '[' or 0 for a scalar
	scalar  string
	names   []string
	members []*value
}

func parse(raw []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return read(d)
}

func read(d *json.Decoder) (*value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		text, err := json.Marshal(t)
		return &value{scalar: string(text)}, err
	}
	v := &value{kind: byte(delim)}
	for d.More() {
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v.names = append(v.names, name.(string))
		}
		m, err := read(d)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, m)
	}
	_, err = d.Token()
	return v, err
}

// write renders a value; space is called wherever white space may stand.
func (v *value) write(b *strings.Builder, space func() string) {
	if v.kind == 0 {
		b.WriteString(v.scalar)
		return
	}
	b.WriteByte(v.kind)
	for i, m := range v.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(space())
		if v.kind == '{' {
			name, _ := json.Marshal(v.names[i])
			b.Write(name)
			b.WriteString(space() + ":" + space())
		}
		m.write(b, space)
		b.WriteString(space())
	}
	b.WriteByte(v.kind + 2)
}

func (v *value) text() []byte {
	var b strings.Builder
	v.write(&b, func() string { return "" })
	return []byte(b.String())
}

// mutations calls do for every single change: a member taken away, added, renamed,
// or given another value; an element taken away, added, or moved.
func (v *value) mutations(do func()) {
	v.each(func(at *value) {
		for i := range at.members {
			names, members := at.names, at.members
			at.members = append(append([]*value{}, members[:i]...), members[i+1:]...)
			if at.kind == '{' {
				at.names = append(append([]string{}, names[:i]...), names[i+1:]...)
			}
			do()
			at.names, at.members = names, members
			if at.kind == '{' {
				was := names[i]
				names[i] = was + "x"
				do()
				names[i] = was
			}
			m := members[i]
			if m.kind == 0 {
				was := m.scalar
				m.scalar = other(was)
				do()
				m.scalar = was
			}
			if at.kind == '[' && i > 0 && !same(members[i], members[i-1]) {
				members[i], members[i-1] = members[i-1], members[i]
				do()
				members[i], members[i-1] = members[i-1], members[i]
			}
		}
		names, members := at.names, at.members
		at.members = append(append([]*value{}, members...), &value{scalar: "0"})
		if at.kind == '{' {
			at.names = append(append([]string{}, names...), "zzUnknown")
		}
		do()
		at.names, at.members = names, members
	})
}

func same(a, b *value) bool { return bytes.Equal(a.text(), b.text()) }

// each visits every object and array.
func (v *value) each(visit func(*value)) {
	if v.kind == 0 {
		return
	}
	visit(v)
	for _, m := range v.members {
		m.each(visit)
	}
}

// other is the smallest difference of a scalar: one that a careless reader folds.
func other(scalar string) string {
	switch c := scalar[0]; {
	case c == '"' && len(scalar) > 2:
		return scalar[:len(scalar)-1] + "\u200b\""
	case c == '"':
		return `" "`
	case c == 't':
		return "false"
	case c == 'f':
		return "true"
	case c == 'n':
		return "0"
	case strings.ContainsAny(scalar, ".eE"):
		return scalar[:1] + "0" + scalar[1:]
	default:
		return scalar + ".0" // the same number, spelled otherwise
	}
}

// shuffle reorders the members of every object.
func (v *value) shuffle(r *rand.Rand) {
	v.each(func(at *value) {
		if at.kind == '{' {
			r.Shuffle(len(at.members), func(i, j int) {
				at.names[i], at.names[j] = at.names[j], at.names[i]
				at.members[i], at.members[j] = at.members[j], at.members[i]
			})
		}
	})
}

// spaces returns random white space.
func spaces(r *rand.Rand) func() string {
	return func() string {
		return []string{"", "", " ", "\n", "\t ", "\r\n"}[r.IntN(6)]
	}
}

// numbered is a definition of every kind by number.
func numbered(i int) string { return "n" + strconv.Itoa(i) }
