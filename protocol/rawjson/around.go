package rawjson

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/gateway"
)

// CheckAround is Check for a document of which one array may hold faulty
// elements: all that stands around the elements is checked strictly, and each
// element for syntax only, so that whoever reads them can refuse one and keep
// the others. Duplicate names, invalid UTF-8 and lone surrogates, and excesses
// of depth or number pass within an element; one with an excess is not looked
// into any further. path are the names that lead to the array; where they lead
// to none, nothing is lenient.
//
// The walkers may run over what passed, down to the elements; each element must
// pass Check before it is read.
func CheckAround(raw []byte, lim Limits, path ...string) error {
	lim = lim.orDefaults()
	if len(raw) > lim.Bytes {
		return gateway.Because(gateway.CodeTooLarge, fmt.Errorf("%w: %d bytes", ErrLimit, len(raw)))
	}
	start, end, ok := locate(raw, path)
	if !ok {
		return Check(raw, lim)
	}
	// The skeleton is raw with a 0 for each element; what stands between them,
	// commas and all, is kept for the strict check to see.
	skeleton := make([]byte, 0, len(raw)-(end-start)+64)
	from := 0
	for c := open(raw[start:end], '['); c.next(); {
		if !isLoose(c.value, lim) {
			return malformed(gateway.ReasonNotJSON, fmt.Errorf("%w: within an element", ErrSyntax))
		}
		skeleton = append(append(skeleton, raw[from:start+c.at-len(c.value)]...), '0')
		from = start + c.at
	}
	return Check(append(skeleton, raw[from:]...), lim)
}

// locate returns where in raw the value stands to which the names lead.
func locate(raw []byte, path []string) (start, end int, ok bool) {
	start, end = 0, len(raw)
	for _, name := range path {
		c := open(raw[start:end], '{')
		for ok = false; !ok && c.next(); {
			ok = IsText(c.name, name)
		}
		if !ok {
			return 0, 0, false
		}
		end = start + c.at
		start = end - len(c.value)
	}
	return start, end, true
}

// isLoose reports whether raw is JSON but for what CheckAround forgives.
func isLoose(raw []byte, lim Limits) bool {
	if _, excess := scan(raw, lim); excess != "" {
		return true // no library may see it, and nobody will
	}
	return jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
