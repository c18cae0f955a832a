package headers

import (
	"net/http"

	"mcp-gateway/protocol/rawjson"
)

// CheckParams compares the Mcp-Param-* headers of ms with the arguments
// (2026-07-28 transports, "Server Validation"): each header, decoded, must
// equal the value at its path. Numbers compare by value, exactly. A header
// that is repeated, or stands for an absent or null argument, is a mismatch,
// and so, if required, which it is from 2026-07-28 on, is a mirrored argument without
// its header. An object or array has no
// header form; without a header it is left to the input schema to refuse.
// Headers that no annotation names are not looked at.
func CheckParams(h http.Header, ms []Mirror, arguments []byte, required bool) error {
	for _, m := range ms {
		values := h[m.Header]
		if len(values) > 1 {
			return Wrong(m.Header, "is repeated")
		}
		argument, mirrored := m.argument(arguments)
		switch {
		case len(values) == 0 && mirrored && required:
			return Wrong(m.Header, "is missing")
		case len(values) == 0:
			continue
		case !mirrored:
			return Wrong(m.Header, "stands for no argument")
		}
		text, err := DecodeHeader(values[0])
		if err != nil {
			return err
		}
		if !headerEquals(text, argument) {
			return Wrong(m.Header, "differs from its argument")
		}
	}
	return nil
}

// SetParams sets in h, for each of ms, the header that mirrors its argument,
// and removes it where the argument is absent, null or has no header form.
// Integers keep every digit. What h held before under these names is gone.
func SetParams(h http.Header, ms []Mirror, arguments []byte) {
	for _, m := range ms {
		argument, mirrored := m.argument(arguments)
		if !mirrored {
			delete(h, m.Header)
			continue
		}
		h[m.Header] = []string{EncodeHeader(headerText(argument))}
	}
}

// argument returns the value that m mirrors; false if there is none to mirror:
// absent, null, an object or an array.
func (m Mirror) argument(arguments []byte) ([]byte, bool) {
	value, ok := arguments, true
	for _, name := range m.Path {
		if value, ok = rawjson.Member(value, name); !ok {
			return nil, false
		}
	}
	switch rawjson.Kind(value) {
	case '"', '0', 't', 'f':
		return value, true
	default:
		return nil, false
	}
}

// headerText is the text of a scalar argument: a string's value, a number in
// decimal notation, true or false.
func headerText(argument []byte) string {
	switch rawjson.Kind(argument) {
	case '"':
		s, _ := rawjson.Text(argument)
		return s
	case '0':
		return rawjson.IntegerText(argument)
	default:
		return string(argument)
	}
}

func headerEquals(text string, argument []byte) bool {
	if rawjson.Kind(argument) != '0' {
		return text == headerText(argument)
	}
	return rawjson.SameNumber([]byte(text), argument)
}
