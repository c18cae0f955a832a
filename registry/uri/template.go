package uri

import (
	"errors"
	"regexp"
	"strings"
)

// ErrTemplate says that a template is not one of those that can be held: simple
// {name} and reserved {+name} expansion of single variables.
var ErrTemplate = errors.New("uri: not a template of simple or reserved variables")

// maxVariables bounds one template.
const maxVariables = 16

// Template is a URI template (RFC 6570, levels 1 and 2) that says of URIs
// whether it stands for them.
type Template struct{ pattern *regexp.Regexp }

// ParseTemplate reads a template. A variable stands for one non-empty segment;
// {+name} may go over several, and begins with no separator where one stands
// before it already: joined to a path, that would be an absolute one. Its literal
// parts must be normalised.
func ParseTemplate(text string) (*Template, error) {
	if len(text) > maxLength {
		return nil, ErrTooLong
	}
	var pattern, plain strings.Builder
	pattern.WriteString("^")
	variables := 0
	for rest := text; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		pattern.WriteString(regexp.QuoteMeta(literal))
		plain.WriteString(literal)
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		reserved := strings.HasPrefix(name, "+")
		if !closed || !isVariable(strings.TrimPrefix(name, "+")) {
			return nil, ErrTemplate
		}
		if variables++; variables > maxVariables {
			return nil, ErrTemplate
		}
		switch {
		case reserved && strings.HasSuffix(literal, "/") && plain.String() != "file://":
			pattern.WriteString(`[^/?#][^?#]*`)
		case reserved:
			pattern.WriteString(`[^?#]+`)
		default:
			pattern.WriteString(`[^/?#:@\[\]]+`) // what delimits is escaped there (RFC 6570, 3.2.2)
		}
		plain.WriteString("x") // any value: the rest must be a URI
		rest = tail
	}
	if normal, err := Normalize(plain.String()); err != nil || normal != plain.String() {
		return nil, errors.Join(ErrTemplate, err)
	}
	compiled, err := regexp.Compile(pattern.String() + "$")
	return &Template{pattern: compiled}, err
}

// Matches says whether the template stands for a normalised URI.
func (t *Template) Matches(normalized string) bool {
	return t != nil && t.pattern.MatchString(normalized)
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i] | 0x20
		if ('a' > c || c > 'z') && (name[i] < '0' || name[i] > '9') && name[i] != '_' && name[i] != '.' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
