package rego

import (
	"encoding/json"
	"errors"
	"strings"

	"mcp-gateway/protocol"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Bounds of the arguments that policy is asked about. A term takes about
// twenty times the bytes of a short JSON value, so it is values that are
// counted; long strings cost no more than their length.
const (
	maxArgumentValues = 1 << 16
	maxArgumentDepth  = 256
)

var (
	errTooManyValues = errors.New("rego: arguments hold too many values or nest too deep")
	errNotArguments  = errors.New("rego: arguments are not one strictly checked JSON object")
)

// readArguments makes a term of the arguments as sent: an object, numbers as their
// lexemes. None at all is an empty object. raw was strictly checked on arrival
// (protocol.Check); what was not gives errNotArguments, never a panic.
func readArguments(raw []byte) (*ast.Term, error) {
	if len(raw) == 0 {
		return ast.InternedEmptyObject, nil
	}
	t, err := readValue(raw)
	if err != nil {
		return nil, err
	}
	if _, ok := t.Value.(ast.Object); !ok {
		return nil, errNotArguments
	}
	return t, nil
}

// readValue makes a term of any strictly checked JSON value.
func readValue(raw []byte) (*ast.Term, error) {
	r := reader{text: string(raw), left: maxArgumentValues}
	t, err := r.value(maxArgumentDepth)
	if err != nil {
		return nil, err
	}
	if r.peek() != 0 {
		return nil, errNotArguments
	}
	return t, nil
}

// reader reads JSON in one pass. Strings are slices of its text.
type reader struct {
	text string
	at   int
	left int // values that may still come
	room []ast.Term
}

// term makes a term, a handful at a time.
func (r *reader) term(v ast.Value) *ast.Term {
	if len(r.room) == 0 {
		r.room = make([]ast.Term, 8)
	}
	t := &r.room[0]
	t.Value, r.room = v, r.room[1:]
	return t
}

// peek skips white space and returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// take consumes the byte if it comes next.
func (r *reader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) value(depth int) (*ast.Term, error) {
	if r.left--; r.left < 0 || depth < 0 {
		return nil, errTooManyValues
	}
	switch r.peek() {
	case '{':
		return r.object(depth)
	case '[':
		return r.array(depth)
	case '"':
		s, err := r.string()
		if err != nil {
			return nil, err
		}
		return r.term(ast.String(s)), nil
	default:
		return r.scalar()
	}
}

func (r *reader) object(depth int) (*ast.Term, error) {
	r.at++
	var members []member
	for more := !r.take('}'); more; more = !r.take('}') {
		if len(members) > 0 && !r.take(',') || r.peek() != '"' {
			return nil, errNotArguments
		}
		name, err := r.string()
		if err != nil || !r.take(':') {
			return nil, errNotArguments
		}
		v, err := r.value(depth - 1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{r.term(ast.String(name)), v})
	}
	obj, ok := object(members)
	if !ok {
		return nil, errNotArguments
	}
	return r.term(obj), nil
}

// object makes an object, and says whether every name is in it once. OPA's own
// constructor keeps both members of one name, and then shows either.
func object(members []member) (ast.Object, bool) {
	obj := ast.NewObject(members...)
	for _, m := range members {
		if len(members) > 1 && obj.Get(m[0]) != m[1] {
			return nil, false
		}
	}
	return obj, true
}

func (r *reader) array(depth int) (*ast.Term, error) {
	r.at++
	var elements []*ast.Term
	for more := !r.take(']'); more; more = !r.take(']') {
		if len(elements) > 0 && !r.take(',') {
			return nil, errNotArguments
		}
		v, err := r.value(depth - 1)
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
	}
	return r.term(ast.NewArray(elements...)), nil
}

// string reads the string at the reader's place.
func (r *reader) string() (string, error) {
	start := r.at
	for i := start + 1; i < len(r.text); i++ {
		switch r.text[i] {
		case '\\':
			i++
		case '"':
			r.at = i + 1
			lexeme := r.text[start:r.at]
			if strings.IndexByte(lexeme, '\\') < 0 {
				return lexeme[1 : len(lexeme)-1], nil
			}
			if s, ok := protocol.Text([]byte(lexeme)); ok {
				return s, nil
			}
			return "", errNotArguments
		}
	}
	return "", errNotArguments
}

// scalar reads a number, true, false or null.
func (r *reader) scalar() (*ast.Term, error) {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, ",]} \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	lexeme := rest[:end]
	r.at += end
	switch {
	case lexeme == "true", lexeme == "false":
		return ast.InternedTerm(lexeme == "true"), nil
	case lexeme == "null":
		return ast.NullTerm(), nil
	case lexeme != "" && (lexeme[0] == '-' || '0' <= lexeme[0] && lexeme[0] <= '9') && json.Valid([]byte(lexeme)):
		return r.term(ast.Number(lexeme)), nil
	default:
		return nil, errNotArguments
	}
}
