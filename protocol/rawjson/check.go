package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/gateway"
)

// Causes of this package's refusals, for [errors.Is]
// on the cause of a gateway.Error. RPCCodeOf turns them into JSON-RPC codes.
var (
	ErrSyntax    = errors.New("not exactly one valid JSON value")
	ErrDuplicate = errors.New("duplicate member name")
	ErrLimit     = errors.New("over a limit of size, depth or number")
)

// Limits bound what Check lets pass. A field of 0 or less means its default.
type Limits struct {
	Bytes     int // length of the whole text, in bytes
	Depth     int // nesting of objects and arrays; a scalar has depth 0
	NumberLen int // length of one number lexeme, in bytes
	Exponent  int // magnitude of a number's decimal exponent as written
}

// DefaultLimits returns 4 MiB, depth 200, numbers of 128 bytes and exponents up
// to 1,000. Larger numbers stall or crash decimal libraries further in.
func DefaultLimits() Limits {
	return Limits{Bytes: 4 << 20, Depth: 200, NumberLen: 128, Exponent: 1000}
}

func (l Limits) orDefaults() Limits {
	def := DefaultLimits()
	for _, f := range [...]struct {
		field *int
		def   int
	}{{&l.Bytes, def.Bytes}, {&l.Depth, def.Depth}, {&l.NumberLen, def.NumberLen}, {&l.Exponent, def.Exponent}} {
		if *f.field <= 0 {
			*f.field = f.def
		}
	}
	return l
}

// Check reports whether raw is exactly one JSON value (RFC 8259) that every
// reader understands alike (RFC 7493: no duplicate names at any depth, valid
// UTF-8, no lone surrogates) and that lies within lim.
//
// Its errors are *gateway.Error: CodeTooLarge if raw has more than lim.Bytes
// bytes, else CodeMalformed. They name a cause and an offset, never content.
// Check does not allocate for a value that passes, unless one of its objects
// has more than 64 members or 1 KiB of names.
func Check(raw []byte, lim Limits) error {
	lim = lim.orDefaults()
	if len(raw) > lim.Bytes {
		return gateway.Because(gateway.CodeTooLarge, fmt.Errorf("%w: %d bytes", ErrLimit, len(raw)))
	}
	if at, what := scan(raw, lim); what != "" {
		reason := gateway.ReasonNumber
		if what == nesting {
			reason = gateway.ReasonDepth
		}
		return malformed(reason, fmt.Errorf("%w: %s at offset %d", ErrLimit, what, at))
	}
	if !jsontext.Value(raw).IsValid() {
		return malformed(explain(raw))
	}
	return nil
}

// nesting is the excess that is none of a number.
const nesting = "nesting"

// scan is the first pass: it enforces depth and number limits on any bytes,
// valid JSON or not, so that no library sees a bomb. It returns the offset and
// kind of the first excess, or "".
func scan(raw []byte, lim Limits) (at int, what string) {
	depth := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = SkipString(raw, i)
		case c == '{' || c == '[':
			if depth++; depth > lim.Depth {
				return i, nesting
			}
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case c == '-' || isDigit(c):
			end := SkipScalar(raw, i)
			if what := numberExcess(raw[i:end], lim); what != "" {
				return i, what
			}
			i = end
		default:
			i++
		}
	}
	return 0, ""
}

func numberExcess(lexeme []byte, lim Limits) string {
	if len(lexeme) > lim.NumberLen {
		return "number length"
	}
	e := bytes.IndexAny(lexeme, "eE")
	if e < 0 {
		return ""
	}
	exp := 0
	for _, c := range lexeme[e+1:] {
		if !isDigit(c) {
			continue // the sign; anything else is refused by the second pass
		}
		if exp = exp*10 + int(c-'0'); exp > lim.Exponent {
			return "exponent"
		}
	}
	return ""
}

// explain finds out why raw is not valid. The decoder's own error is not
// passed on, because it quotes what it read.
func explain(raw []byte) (gateway.Reason, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	_, err := dec.ReadValue()
	cause, reason, at := ErrSyntax, gateway.ReasonNotJSON, dec.InputOffset()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		cause, reason = ErrDuplicate, gateway.ReasonDuplicate
	case !utf8.Valid(raw):
		reason = gateway.ReasonNotUTF8
	}
	if se := (*jsontext.SyntacticError)(nil); errors.As(err, &se) {
		at = se.ByteOffset
	}
	return reason, fmt.Errorf("%w: at offset %d", cause, at)
}

func malformed(why gateway.Reason, cause error) error {
	return gateway.Because(gateway.CodeMalformed, cause, gateway.ReasonMalformed, why)
}

func isDigit(c byte) bool { return c-'0' <= 9 }
