package findings

import (
	"strings"

	"mcp-gateway/gateway"
)

// Report is what one definition shows by itself.
type Report struct {
	Findings []gateway.Finding // of each code the first place; of warnings the first few
	Mentions []string          // what its texts say that may be the name of a tool; sorted, each once
}

// Inspect looks at one definition, which must be strictly checked JSON.
func Inspect(kind gateway.Kind, name string, raw []byte) Report {
	in := &inspection{name: name}
	in.definition(kind, raw)
	return Report{Findings: in.found, Mentions: in.mentioned()}
}

// Told looks at what an upstream tells models of itself: a JSON string.
func Told(raw []byte) []gateway.Finding {
	in := &inspection{}
	in.prose("/instructions", raw)
	return in.found
}

// inspection is one look at one definition.
type inspection struct {
	name     string
	found    []gateway.Finding
	mentions map[string]bool
}

// mostPlaces bounds the places that are kept of one warning: an honest one must not hide
// another that stands elsewhere.
const mostPlaces = 5

// add notes the first findings of each code, one at each place.
func (in *inspection) add(code Code, path, excerpt string) {
	had := 0
	for _, f := range in.found {
		if f.Code == string(code) {
			had++
			if f.Path == path {
				return
			}
		}
	}
	if had == 0 || had < mostPlaces && of(code).severity != gateway.Info {
		in.found = append(in.found, finding(code, path, excerpt))
	}
}

func finding(code Code, path, excerpt string) gateway.Finding {
	if len(excerpt) > mostExcerpt {
		excerpt = strings.ToValidUTF8(excerpt[:mostExcerpt], "") + "…"
	}
	return gateway.Finding{Code: string(code), Path: path, Severity: of(code).severity, Excerpt: excerpt}
}
