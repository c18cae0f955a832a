package schema

import (
	"errors"
	"fmt"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/gateway"
	"mcp-gateway/schema/plan/scalar"
)

// Undeclared is the keyword of a violation that Schema.Undeclared reports. It
// is no keyword of JSON Schema.
const Undeclared = "undeclared"

// Causes of a value that was not judged.
var (
	ErrValueTooLarge = errors.New("too large to validate")
	ErrValueTooDear  = errors.New("takes too many steps to validate")
)

// Check judges a value: raw JSON that protocol.Check has passed. No violations
// and no error mean that it is valid. Violations are sorted by pointer, then
// keyword, at most Limits.Violations of them, and hold no value; `required`
// points at the missing member, `additionalProperties` and
// `unevaluatedProperties` at the one too many. Inside anyOf, oneOf, not and
// contains only the keyword itself is reported, since a branch that was not
// meant to match says nothing.
//
// An error means that the value was not judged, never that it passed:
// *gateway.Error with CodeTooLarge and ReasonUnchecked (more than Limits.ValueBytes
// bytes or Limits.Work steps) or CodeInternal (the library panicked).
func (s *Schema) Check(value []byte) ([]gateway.Violation, error) {
	if len(value) > s.lim.ValueBytes {
		return nil, gateway.Because(gateway.CodeTooLarge, ErrValueTooLarge, gateway.ReasonUnchecked)
	}
	if s.plan.Accept(value, 4*len(value)+4096) == scalar.Yes {
		return nil, nil
	}
	decoded := decode(value)
	if !s.plan.Work(decoded, s.lim.Work) {
		return nil, gateway.Because(gateway.CodeTooLarge, ErrValueTooDear, gateway.ReasonUnchecked)
	}
	failure, err := s.validate(decoded)
	if failure == nil || err != nil {
		return nil, err
	}
	return explain(failure, s.lim.Violations), nil
}

// validate runs the library, whose panics end here.
func (s *Schema) validate(decoded any) (failure *jsonschema.ValidationError, err error) {
	defer func() {
		if p := recover(); p != nil {
			failure, err = nil, gateway.Because(gateway.CodeInternal, fmt.Errorf("the validator panicked: %v", p))
		}
	}()
	verdict := s.library.Validate(decoded)
	if verdict == nil || errors.As(verdict, &failure) {
		return failure, nil
	}
	return nil, gateway.Because(gateway.CodeInternal, verdict)
}

// Undeclared reports the members of the value that no schema declares at their
// place; plan.Node.Undeclared says what declares. It is for tools with side
// effects, where a member that nobody reviewed must not travel. The value is
// raw JSON that protocol.Check has passed; at most Limits.Violations are given.
// A value that is too intricate to look through is reported as a whole.
func (s *Schema) Undeclared(value []byte) []gateway.Violation {
	var out []gateway.Violation
	for _, pointer := range s.plan.Undeclared(value, s.lim.Violations, s.lim.Work) {
		out = append(out, gateway.Violation{Pointer: pointer, Keyword: Undeclared})
	}
	sortViolations(out)
	return out
}
