package answer

import (
	"errors"
	"fmt"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// ErrShape says that a policy gave something of another shape than it must.
var ErrShape = errors.New("rego: policy gave an answer of the wrong shape")

// The names of what a policy answers.
var (
	nameEffect      = ast.StringTerm("effect")
	nameReasons     = ast.StringTerm("reasons")
	nameObligations = ast.StringTerm("obligations")
	nameWarned      = ast.StringTerm("warned")
	nameWatched     = ast.StringTerm("watched")
	namePaths       = ast.StringTerm("paths")
)

// maxReasons bounds what a policy may answer.
const maxReasons = 32

// Answer is what a policy says, before anybody's approval is looked at.
type Answer struct {
	Effect          gateway.Effect
	Reasons         []gateway.Reason
	Obligations     gateway.Obligations
	Warned, Watched []gateway.Reason // codes that only note
}

// Of reads a decision object: effect and reasons, and if need be what is
// owed and what is only noted. Anything else is ErrShape, above all a member that
// this gateway does not know: it might have restricted what it does not
// understand.
func Of(v ast.Value, words contract.Words) (*Answer, error) {
	obj, ok := v.(ast.Object)
	if !ok {
		return nil, fmt.Errorf("%w: decision is not an object", ErrShape)
	}
	a, err, known := &Answer{}, error(nil), 0
	member := func(name *ast.Term, read func(ast.Value) error) {
		if t := obj.Get(name); t != nil && err == nil {
			known++
			err = read(t.Value)
		}
	}
	member(nameEffect, func(v ast.Value) error { s, _ := v.(ast.String); a.Effect = gateway.Effect(s); return nil })
	member(nameReasons, func(v ast.Value) error { return Codes(v, words, &a.Reasons) })
	member(nameObligations, func(v ast.Value) error { return obligations(v, &a.Obligations) })
	member(nameWarned, func(v ast.Value) error { return Codes(v, words, &a.Warned) })
	member(nameWatched, func(v ast.Value) error { return Codes(v, words, &a.Watched) })
	switch {
	case err != nil:
		return nil, err
	case obj.Len() != known || obj.Get(nameEffect) == nil || obj.Get(nameReasons) == nil:
		return nil, fmt.Errorf("%w: decision must have effect and reasons, may have obligations, warned and watched, and nothing else", ErrShape)
	}
	return a, a.check()
}

// check holds the effect to its reasons.
func (a *Answer) check() error {
	switch {
	case a.Effect == gateway.Allow, len(a.Reasons) > 0 && (a.Effect == gateway.Deny || a.Effect == gateway.Ask):
		return nil
	case a.Effect == gateway.Deny, a.Effect == gateway.Ask:
		return fmt.Errorf("%w: decision says %s and gives no reason", ErrShape, a.Effect)
	default:
		return fmt.Errorf("%w: decision.effect must be allow, deny or ask", ErrShape)
	}
}

// Codes reads a set or array of the policy's own reasons, sorted and each once.
func Codes(v ast.Value, words contract.Words, into *[]gateway.Reason) error {
	var list []gateway.Reason
	err := elements(v, maxReasons, func(t *ast.Term) error {
		s, ok := t.Value.(ast.String)
		if !ok || !contract.IsCode(string(s)) {
			return fmt.Errorf("%w: a reason is no code", ErrShape)
		}
		if _, known := words[gateway.Reason(s)]; !known {
			return fmt.Errorf("%w: the reason %q is none of those that the policy declares", ErrShape, string(s))
		}
		list = append(list, gateway.Reason(s))
		return nil
	})
	slices.Sort(list)
	*into = slices.Clip(slices.Compact(list))
	return err
}
