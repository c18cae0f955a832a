package answer

import (
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Release is what policy says of a result.
type Release string

// What may be said. The zero value is none of them and is treated as Withhold.
const (
	ReleaseWhole Release = "release"
	Redact       Release = "redact" // without what Paths name
	Withhold     Release = "withhold"
)

// Verdict is policy's answer about one result.
type Verdict struct {
	Effect  Release
	Reasons []gateway.Reason // of Withhold: at least one
	Paths   []string         // of Redact: JSON Pointers into structuredContent
	Err     error            // why evaluation gave no answer; for the operator's log, never sent
}

// VerdictOf reads a result object: effect and reasons, and paths with redact.
func VerdictOf(v ast.Value, words contract.Words) (Verdict, error) {
	obj, ok := v.(ast.Object)
	if !ok {
		return Verdict{}, fmt.Errorf("%w: result is not an object", ErrShape)
	}
	effect, reasons, paths := obj.Get(nameEffect), obj.Get(nameReasons), obj.Get(namePaths)
	if effect == nil || reasons == nil {
		return Verdict{}, fmt.Errorf("%w: result must have effect and reasons", ErrShape)
	}
	var out Verdict
	word, _ := effect.Value.(ast.String)
	out.Effect = Release(word)
	if err := Codes(reasons.Value, words, &out.Reasons); err != nil {
		return Verdict{}, err
	}
	members := 2
	if out.Effect == Redact && paths != nil {
		members++
		r := owed{o: obj}
		if out.Paths = r.pointers("paths"); r.err != nil {
			return Verdict{}, fmt.Errorf("%w: result: %s", ErrShape, r.err)
		}
	}
	switch {
	case obj.Len() != members,
		out.Effect == Redact && paths == nil,
		out.Effect == Withhold && len(out.Reasons) == 0,
		out.Effect != Redact && out.Effect != Withhold && out.Effect != ReleaseWhole:
		return Verdict{}, fmt.Errorf("%w: result is none of release, redact with paths, withhold with reasons", ErrShape)
	}
	return out, nil
}

// CheckPointer says what is wrong with a path of a result as it is written down.
func CheckPointer(v ast.Value) error {
	if p, text := v.(ast.String); !text || !isPointer(string(p)) {
		return fmt.Errorf("paths holds %s, which is no JSON Pointer such as /customer/email", v)
	}
	return nil
}
