package headers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/rawjson"
)

// Mirror is one x-mcp-header annotation of an input schema: the argument at
// Path travels in the header as well.
type Mirror struct {
	Header string   // the whole name as net/http keys it: "Mcp-Param-Region"
	Path   []string // member names from the arguments' root
	Type   string   // string, integer or boolean
}

// ParamPrefix begins the name of every header that mirrors an argument.
const ParamPrefix = "Mcp-Param-"

const annotation = "x-mcp-header"

// maxDepth stops the walk on a schema that skipped the depth limit.
const maxDepth = 1000

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
	if depth > maxDepth {
		return fmt.Errorf("%w: nesting", rawjson.ErrLimit)
	}
	if rawjson.Kind(raw) == '[' {
		return w.list(raw, depth)
	}
	for keyword, value := range rawjson.Members(raw) {
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
	for sub := range rawjson.Elements(raw) {
		if err := w.schema(sub, nil, false, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// named walks a map of schemas, whose member names are not keywords.
func (w *mirrorWalk) named(raw []byte, depth int) error {
	for _, sub := range rawjson.Members(raw) {
		if err := w.schema(sub, nil, false, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *mirrorWalk) properties(raw []byte, path []string, static bool, depth int) error {
	for name, sub := range rawjson.Members(raw) {
		var below []string
		if static {
			below = append(slices.Clip(path), string(name))
		}
		if err := w.schema(sub, below, static, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *mirrorWalk) annotated(schema, value []byte, path []string, static bool) error {
	name, ok := rawjson.Text(value)
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
	names := append(slices.Clip(path), name)
	if isSecret(schema, kind, names) {
		return fmt.Errorf("%w: annotation mirrors a secret", ErrHeader)
	}
	if kind != "boolean" && slices.ContainsFunc(names, func(n string) bool { return personalName(words(n)) }) {
		return fmt.Errorf("%w: annotation mirrors what tells who somebody is", ErrHeader)
	}
	key := http.CanonicalHeaderKey(ParamPrefix + name)
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
	raw, _ := rawjson.Member(schema, "type")
	found := ""
	if rawjson.Kind(raw) != '[' {
		found, _ = rawjson.Text(raw)
	}
	n := 0
	for element := range rawjson.Elements(raw) {
		n++
		if s, _ := rawjson.Text(element); s != "null" {
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
	for element := range rawjson.Elements(raw) {
		if rawjson.IsText(element, want) {
			return true
		}
	}
	return false
}

// isToken reports whether s is an HTTP token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c-'0' <= 9 || (c|0x20)-'a' < 26
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
