package schema

import (
	"errors"
	"testing"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/gateway"
)

// boom is a keyword whose validation panics.
type boom struct{}

func (boom) Validate(*jsonschema.ValidatorContext, any) { panic("boom") }

// A validator that panics fails the one value, and never passes it.
func TestPanicIsContained(t *testing.T) {
	s, err := Compile([]byte(`{"dependentRequired":{"a":["b"]}}`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s.library.Extensions = append(s.library.Extensions, boom{})
	vs, err := s.Check([]byte(`{"a":1,"b":2}`))
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeInternal || vs != nil {
		t.Errorf("got %v, %v, want an internal error", vs, err)
	}
}

// A compiler that panics fails the one schema.
func TestCompilerPanicIsContained(t *testing.T) {
	_, err := compile([]byte(`{"patternProperties":{"a":true}}`), nil, DefaultLimits()) // no survey, no pattern engine
	var e *gateway.Error
	if !errors.As(err, &e) || e.Reasons[0] != gateway.ReasonSchemaUnsafe {
		t.Errorf("got %v, want schema_unsafe", err)
	}
}
