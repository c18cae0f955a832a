package schema

import (
	"errors"
	"fmt"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/schema/plan"
)

// Limits bound what is compiled and what is judged. A field of 0 or less means
// its default.
type Limits struct {
	Bytes      int // of a schema
	Depth      int // JSON nesting of a schema
	Nodes      int // subschemas in a schema
	Expansion  int // subschemas that judge one and the same value
	Pattern    int // RE2 instructions of one pattern
	ValueBytes int // of a value; Check refuses to judge larger ones
	Work       int // steps that judging one value may take
	Violations int // reported for one value

	// RequireObject asks for {"type": "object"} at the root, as MCP does of a
	// tool's schemas; a schema without it is refused as invalid.
	RequireObject bool
}

// DefaultLimits returns the bounds that real tools stay well within: the
// largest of 2,867 published ones has 85 KB, 914 subschemas and depth 13.
func DefaultLimits() Limits {
	return Limits{
		Bytes: 512 << 10, Depth: 128, Nodes: 4_000, Expansion: 10_000, Pattern: 5_000,
		ValueBytes: 1 << 20, Work: 1_000_000, Violations: 32,
	}
}

func (l Limits) orDefaults() Limits {
	def := DefaultLimits()
	for _, f := range [...]struct {
		field *int
		def   int
	}{
		{&l.Bytes, def.Bytes}, {&l.Depth, def.Depth}, {&l.Nodes, def.Nodes}, {&l.Expansion, def.Expansion},
		{&l.Pattern, def.Pattern}, {&l.ValueBytes, def.ValueBytes}, {&l.Work, def.Work}, {&l.Violations, def.Violations},
	} {
		if *f.field <= 0 {
			*f.field = f.def
		}
	}
	return l
}

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	lim     Limits
	plan    *plan.Node
	library *jsonschema.Schema
}

// home is the base of every schema that has no $id. The name can never resolve
// (RFC 6761), and nothing would ask for it.
const home = "https://schema.invalid/"

// refuseAll is the loader: it never loads.
type refuseAll struct{}

func (refuseAll) Load(string) (any, error) { return nil, ErrRemote }

// Compile compiles one schema. Errors are *gateway.Error of
// CodeContractViolation with ReasonSchemaUnsafe, where the schema could not be
// enforced within the limits, or ReasonSchemaInvalid, where it is no schema of
// a supported dialect; the cause names the place as a JSON Pointer.
func Compile(raw []byte, lim Limits) (*Schema, error) {
	lim = lim.orDefaults()
	if err := protocol.Check(raw, protocol.Limits{Bytes: lim.Bytes, Depth: lim.Depth}); err != nil {
		if errors.Is(err, protocol.ErrLimit) {
			return nil, unsafe(err)
		}
		return nil, invalid(err)
	}
	sv, err := surveyOf(raw, lim)
	if err != nil {
		return nil, err
	}
	return compile(raw, sv, lim)
}

// compile hands the surveyed schema to the library, whose panics end here.
func compile(raw []byte, sv *survey, lim Limits) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, unsafe(fmt.Errorf("the compiler panicked: %v", p))
		}
	}()
	c := jsonschema.NewCompiler()
	c.UseLoader(refuseAll{})
	c.UseRegexpEngine(sv.pattern)
	if err := c.AddResource(home, decode(raw)); err != nil {
		return nil, invalid(err)
	}
	library, err := c.Compile(home)
	if err != nil {
		return nil, classify(err)
	}
	dynamic := map[string][]*jsonschema.Schema{}
	for _, d := range sv.dynamic {
		sub, err := c.Compile(home + "#" + d.fragment())
		if err != nil {
			return nil, classify(err)
		}
		dynamic[d.name] = append(dynamic[d.name], sub)
	}
	root, err := plan.Build(library, dynamic)
	if err == nil {
		err = root.Audit(lim.Expansion)
	}
	if err != nil {
		return nil, unsafe(err)
	}
	return &Schema{lim: lim, plan: root, library: library}, nil
}

// classify says which kind of fault stopped the library.
func classify(err error) error {
	var load *jsonschema.LoadURLError
	var regex *jsonschema.InvalidRegexError
	switch {
	case errors.As(err, &load): // which wraps nothing
		return unsafe(fmt.Errorf("%w: %.200q", ErrRemote, load.URL))
	case errors.As(err, &regex):
		return unsafe(err)
	}
	return invalid(err)
}

func unsafe(err error) error  { return refuse(err, gateway.ReasonSchemaUnsafe) }
func invalid(err error) error { return refuse(err, gateway.ReasonSchemaInvalid) }

func refuse(err error, reason gateway.Reason) error {
	e := gateway.Because(gateway.CodeContractViolation, err, reason)
	e.Stage = "schema"
	return e
}
