package protocol

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"mcp-gateway/gateway"
)

// Mirror is one x-mcp-header annotation of an input schema: the argument at
// Path travels in the header as well.
type Mirror struct {
	Header string   // the whole name as net/http keys it: "Mcp-Param-Region"
	Path   []string // member names from the arguments' root
	Type   string   // string, integer or boolean
}

const annotation = "x-mcp-header"

// Mirrors collects the x-mcp-header annotations of a checked input schema, in
// the order of the text. The whole tree is walked (2026-07-28 transports,
// "Schema Extension"): an annotation that is no token, repeats another in any
// case, stands on anything but a string, integer or boolean, or is reachable
// other than by `properties` alone makes the definition invalid. So does one
// that would mirror a secret into headers, which intermediaries log. The error
// is a *gateway.Error of CodeContractViolation with ReasonHeaderMirror.
func Mirrors(inputSchema []byte) ([]Mirror, error) {
	w := mirrorWalk{}
	if err := w.schema(inputSchema, nil, true, 0); err != nil {
		return nil, gateway.Because(gateway.CodeContractViolation, err, gateway.ReasonHeaderMirror)
	}
	return w.found, nil
}

type mirrorWalk struct{ found []Mirror }

// schema walks one subschema. static is true while path was reached through
// `properties` only.
func (w *mirrorWalk) schema(raw []byte, path []string, static bool, depth int) error {
	if depth > maxCanonicalDepth {
		return fmt.Errorf("%w: nesting", ErrLimit)
	}
	if Kind(raw) == '[' {
		return w.list(raw, depth)
	}
	for keyword, value := range Members(raw) {
		var err error
		switch string(keyword) {
		case annotation:
			err = w.annotated(raw, value, path, static)
		case "properties":
			err = w.properties(value, path, static, depth)
		case "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			err = w.named(value, depth)
		case "default", "const", "enum", "examples":
			// data, not schemas
		default:
			err = w.schema(value, nil, false, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *mirrorWalk) list(raw []byte, depth int) error {
	for sub := range Elements(raw) {
		if err := w.schema(sub, nil, false, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// named walks a map of schemas, whose member names are not keywords.
func (w *mirrorWalk) named(raw []byte, depth int) error {
	for _, sub := range Members(raw) {
		if err := w.schema(sub, nil, false, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *mirrorWalk) properties(raw []byte, path []string, static bool, depth int) error {
	for name, sub := range Members(raw) {
		var below []string
		if static {
			below = append(append(make([]string, 0, len(path)+1), path...), string(name))
		}
		if err := w.schema(sub, below, static, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *mirrorWalk) annotated(schema, value []byte, path []string, static bool) error {
	name, ok := Text(value)
	if !ok || !isToken(name) {
		return fmt.Errorf("%w: annotation is not a token", ErrHeader)
	}
	if !static || len(path) == 0 {
		return fmt.Errorf("%w: annotation is not reachable by properties alone", ErrHeader)
	}
	kind := mirrorType(schema)
	if kind == "" {
		return fmt.Errorf("%w: annotation on other than string, integer or boolean", ErrHeader)
	}
	if isSecret(schema, kind, append(path, name)) {
		return fmt.Errorf("%w: annotation mirrors a secret", ErrHeader)
	}
	key := http.CanonicalHeaderKey(HeaderParamPrefix + name)
	for _, m := range w.found {
		if m.Header == key {
			return fmt.Errorf("%w: two annotations share a header", ErrHeader)
		}
	}
	w.found = append(w.found, Mirror{Header: key, Path: path, Type: kind})
	return nil
}

// mirrorType returns the schema's type if it is one that may be mirrored, also
// beside "null" in a list of two; else "".
func mirrorType(schema []byte) string {
	raw, _ := Member(schema, "type")
	found := ""
	if Kind(raw) != '[' {
		found, _ = Text(raw)
	}
	n := 0
	for element := range Elements(raw) {
		n++
		if s, _ := Text(element); s != "null" {
			found = s
		}
	}
	if n != 0 && (n != 2 || !textInList(raw, "null")) {
		return ""
	}
	switch found {
	case "string", "integer", "boolean":
		return found
	default:
		return ""
	}
}

func textInList(raw []byte, want string) bool {
	for element := range Elements(raw) {
		if textIs(element, want) {
			return true
		}
	}
	return false
}

// isSecret reports whether a property is of a class that must not travel in a
// header: by its schema (writeOnly, format password) or by a word of its name.
// A boolean holds no secret, and an integer no token or key (max_tokens).
func isSecret(schema []byte, kind string, names []string) bool {
	if kind == "boolean" {
		return false
	}
	writeOnly, _ := Member(schema, "writeOnly")
	format, _ := Member(schema, "format")
	if Kind(writeOnly) == 't' || textIs(format, "password") {
		return true
	}
	for _, name := range names {
		if secretName(words(name), kind == "string") {
			return true
		}
	}
	return false
}

// secretName judges the words of one name. "key" alone counts, and after a word
// that makes it one; sort_key and issue_key are no secrets.
func secretName(words []string, text bool) bool {
	for i, word := range words {
		switch word {
		case "password", "passwd", "pwd", "passphrase", "passcode", "pin", "otp", "totp", "secret", "secrets",
			"credential", "credentials", "cvv", "cvc", "ssn", "iban":
			return true
		case "token", "tokens", "jwt", "bearer", "authorization", "auth", "cookie", "cookies",
			"apikey", "accesskey", "secretkey", "privatekey", "sessionid":
			if text {
				return true
			}
		case "key", "keys":
			if text && (len(words) == 1 || i > 0 && keyMaker(words[i-1])) {
				return true
			}
		}
	}
	return false
}

func keyMaker(word string) bool {
	switch word {
	case "api", "access", "private", "signing", "encryption", "master", "ssh", "gpg", "license", "service", "account",
		"client", "auth", "app", "application", "admin", "deploy", "webhook", "hmac":
		return true
	default:
		return false
	}
}

// words splits a name at case changes and at everything that is no letter.
func words(name string) []string {
	var found []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			found = append(found, b.String())
			b.Reset()
		}
	}
	previous := ' '
	for _, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(previous) {
			flush()
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	flush()
	return found
}

// isToken reports whether s is an HTTP token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := isDigit(c) || (c|0x20)-'a' < 26
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
