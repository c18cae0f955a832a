package schema

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/protocol"
	"mcp-gateway/schema/plan"
	"mcp-gateway/schema/plan/scalar"
)

// Bounds on what makes the library's compiler slow, far above real use.
const (
	maxStrays = 64 // references to places that are not known to hold a schema
	maxIDs    = 32 // embedded resources
)

// role says what the value of a schema keyword is.
type role int

const (
	data         role = iota // nothing that holds subschemas
	one                      // a schema
	list                     // an array of schemas
	named                    // an object whose members are schemas
	oneOrList                // items of draft-07
	namedOrNames             // dependencies of draft-07
	count                    // a length or number of things
	regex                    // a pattern
	reference                // a URI reference to a schema
)

// roles lists the keywords of both dialects; others are annotations.
var roles = map[string]role{
	"$defs": named, "definitions": named, "properties": named, "patternProperties": named,
	"dependentSchemas": named, "dependencies": namedOrNames,
	"allOf": list, "anyOf": list, "oneOf": list, "prefixItems": list,
	"items": oneOrList, "additionalItems": one, "unevaluatedItems": one, "contains": one,
	"additionalProperties": one, "unevaluatedProperties": one, "propertyNames": one,
	"not": one, "if": one, "then": one, "else": one, "contentSchema": one,
	"pattern": regex, "$ref": reference, "$dynamicRef": reference,
	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
	"minProperties": count, "maxProperties": count, "minContains": count, "maxContains": count,
}

// survey is what the raw schema shows before it is compiled.
type survey struct {
	lim      Limits
	draft    string
	places   map[string]bool // JSON Pointers of all subschemas
	refs     []place         // local references
	dynamic  []place         // $dynamicAnchors
	ids      int
	patterns map[string]*scalar.Pattern
}

// place is a name, anchor or reference and the JSON Pointer of its schema.
type place struct{ name, pointer string }

// fragment writes the pointer for use after the # of a URI.
func (p place) fragment() string { return (&url.URL{Path: p.pointer}).EscapedPath() }

// Causes of a refusal that callers and reviewers tell apart.
var (
	ErrNotObject = errors.New(`the root does not say "type": "object"`)
	ErrDialect   = errors.New("is written in a dialect that is not supported")
	ErrPattern   = errors.New("has a pattern that RE2 cannot run within limits")
	ErrRemote    = errors.New("refers to something outside the document")
)

var (
	errNotSchema = errors.New("is neither an object nor a boolean")
	errTooMany   = errors.New("holds too many subschemas")
	errStrays    = errors.New("refers to too many places that are not known to hold a schema")
	errIDs       = errors.New("embeds too many resources")
	errKeyword   = errors.New("uses a keyword of another dialect")
	errCount     = errors.New("sets a bound that is no whole number of at most 18 digits")
)

// surveyOf walks every subschema of a checked schema.
func surveyOf(raw []byte, lim Limits) (*survey, error) {
	sv := &survey{lim: lim, places: map[string]bool{}, patterns: map[string]*scalar.Pattern{}}
	if lim.RequireObject {
		if t, _ := protocol.Member(raw, "type"); !isText(t, "object") {
			return nil, invalid(ErrNotObject)
		}
	}
	if err := sv.dialect(raw); err != nil {
		return nil, err
	}
	if err := sv.schema(raw, ""); err != nil {
		return nil, err
	}
	return sv, sv.checkRefs()
}

func isText(raw []byte, want string) bool {
	s, ok := protocol.Text(raw)
	return ok && s == want
}

// dialect accepts 2020-12, also if nothing is said, and draft-07.
func (sv *survey) dialect(raw []byte) error {
	value, ok := protocol.Member(raw, "$schema")
	if !ok {
		sv.draft = "2020-12"
		return nil
	}
	name, _ := protocol.Text(value)
	_, bare, _ := strings.Cut(strings.TrimSuffix(name, "#"), "://")
	switch bare {
	case "json-schema.org/draft/2020-12/schema":
		sv.draft = "2020-12"
	case "json-schema.org/draft-07/schema":
		sv.draft = "draft-07"
	default:
		return invalid(fmt.Errorf("/$schema %w: %.200q", ErrDialect, name))
	}
	return nil
}

func (sv *survey) schema(raw []byte, at string) error {
	sv.places[at] = true
	if len(sv.places) > sv.lim.Nodes {
		return unsafe(fmt.Errorf("%w (more than %d)", errTooMany, sv.lim.Nodes))
	}
	switch protocol.Kind(raw) {
	case 't', 'f':
		return nil
	case '{':
	default:
		return invalid(fmt.Errorf("%q %w", at, errNotSchema))
	}
	for name, value := range protocol.Members(raw) {
		key := string(name)
		if err := sv.keyword(key, value, at, at+"/"+plan.Escape(key)); err != nil {
			return err
		}
	}
	return nil
}

// keyword looks at one member of the schema at owner; at is its own place.
func (sv *survey) keyword(key string, value []byte, owner, at string) error {
	kind := protocol.Kind(value)
	switch roles[key] {
	case one:
		return sv.schema(value, at)
	case oneOrList:
		if kind == '[' {
			return sv.list(value, at)
		}
		return sv.schema(value, at)
	case list:
		return sv.list(value, at)
	case named, namedOrNames:
		return sv.named(key, value, at)
	case count:
		return sv.count(value, at)
	case regex:
		expr, _ := protocol.Text(value)
		return sv.compilePattern(expr, at)
	case reference:
		ref, _ := protocol.Text(value)
		sv.refs = append(sv.refs, place{ref, at})
	default:
		return sv.identity(key, value, owner, at)
	}
	return nil
}

// count refuses what the library would cut to 64 bits without a word.
func (sv *survey) count(value []byte, at string) error {
	whole, rest, _ := strings.Cut(string(value), ".")
	if len(whole) > 18 || strings.ContainsAny(whole, "eE") || strings.Trim(rest, "0") != "" {
		return unsafe(fmt.Errorf("%q %w", at, errCount))
	}
	return nil
}

func (sv *survey) list(value []byte, at string) error {
	i := 0
	for sub := range protocol.Elements(value) {
		if err := sv.schema(sub, at+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
		i++
	}
	return nil
}

func (sv *survey) named(key string, value []byte, at string) error {
	for name, sub := range protocol.Members(value) {
		where := at + "/" + plan.Escape(string(name))
		if key == "patternProperties" {
			if err := sv.compilePattern(string(name), where); err != nil {
				return err
			}
		}
		if key == "dependencies" && protocol.Kind(sub) == '[' {
			continue
		}
		if err := sv.schema(sub, where); err != nil {
			return err
		}
	}
	return nil
}

// identity looks at the keywords that name a schema, or its dialect.
func (sv *survey) identity(key string, value []byte, owner, at string) error {
	text, isString := protocol.Text(value)
	switch key {
	case "$id":
		if sv.ids++; sv.ids > maxIDs {
			return unsafe(fmt.Errorf("%q %w", at, errIDs))
		}
	case "$dynamicAnchor":
		if isString && sv.draft == "2020-12" {
			sv.dynamic = append(sv.dynamic, place{text, owner})
		}
	case "$recursiveRef", "$vocabulary":
		// The library applies both whatever the dialect says.
		return unsafe(fmt.Errorf("%q %w", at, errKeyword))
	}
	return nil
}

// compilePattern compiles each pattern once, for here and for the library.
func (sv *survey) compilePattern(expr, at string) error {
	if _, done := sv.patterns[expr]; done {
		return nil
	}
	p, err := newPattern(expr, sv.lim.Pattern)
	if err != nil {
		return unsafe(fmt.Errorf("%q %w", at, err))
	}
	sv.patterns[expr] = p
	return nil
}

func newPattern(expr string, limit int) (*scalar.Pattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	if len(prog.Inst) > limit {
		return nil, fmt.Errorf("%w: %d instructions", ErrPattern, len(prog.Inst))
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	return &scalar.Pattern{Regexp: re, Size: len(prog.Inst)}, nil
}

// pattern is the library's regular expression engine.
func (sv *survey) pattern(expr string) (jsonschema.Regexp, error) {
	if p, ok := sv.patterns[expr]; ok {
		return p, nil
	}
	// The library's own meta-schemas, and schemas in unknown places.
	return newPattern(expr, sv.lim.Pattern)
}

// checkRefs refuses references that plainly leave the document. With an $id in
// it, what a relative reference means is the library's to say; its loader
// refuses what is not inside.
func (sv *survey) checkRefs() error {
	strays := 0
	for _, r := range sv.refs {
		fragment, local := strings.CutPrefix(r.name, "#")
		if !local && sv.ids == 0 {
			return unsafe(fmt.Errorf("%q %w: %.200q", r.pointer, ErrRemote, r.name))
		}
		target, err := url.PathUnescape(fragment)
		if err != nil {
			return invalid(fmt.Errorf("%q is no reference: %w", r.pointer, err))
		}
		if local && strings.HasPrefix(target, "/") && !sv.places[target] {
			strays++
		}
	}
	if strays > maxStrays {
		return unsafe(errStrays)
	}
	return nil
}
