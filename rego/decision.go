package rego

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Decision is policy's answer about one call.
type Decision struct {
	Effect   gateway.Effect
	Reasons  []gateway.Reason // sorted, each once; empty only with Allow
	Revision string           // of the policy that decided
	Err      error            // why evaluation gave no answer; for the operator's log, never sent

	asked  question
	permit Permit
}

// question is what a decision answers, without the arguments.
type question struct {
	subject  *ast.Term
	resource *Resource
	context  Context
}

// Input returns the argument-free input of the decision as canonical JSON:
// what can be kept to explain and replay it. Arguments and time are left out;
// the same question asked later has the same Input. It is nil for a Decision
// that no Engine made.
func (d Decision) Input() []byte {
	if d.asked.resource == nil {
		return nil
	}
	v, err := ast.JSON(d.asked.input(call{}).Value)
	if err != nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return protocol.AppendCanonical(nil, raw)
}

// InputDigest returns the digest of Input. It is computed anew each time.
func (d Decision) InputDigest() gateway.Digest {
	if raw := d.Input(); raw != nil {
		return protocol.DigestOf(raw)
	}
	return ""
}

// Permit returns the proof that policy allows the call, and whether it does.
func (d Decision) Permit() (Permit, bool) {
	if d.Effect != gateway.Allow || !d.permit.Valid() {
		return Permit{}, false
	}
	return d.permit, true
}

// Permit is the proof that policy allowed one very call: this tool, as this
// definition, with these arguments. Only an Engine makes one; the zero value
// is no permit.
type Permit struct {
	valid      bool
	id         gateway.ItemID
	definition gateway.Digest
	arguments  [sha256.Size]byte
	revision   string
}

// Valid says whether p is a permit at all.
func (p Permit) Valid() bool { return p.valid }

// Covers says whether p is a permit for this call. The arguments must be the
// bytes that were judged.
func (p Permit) Covers(id gateway.ItemID, definition gateway.Digest, arguments []byte) bool {
	return p.valid && p.id == id && p.definition == definition && p.arguments == sha256.Sum256(arguments)
}

// Revision returns the revision of the policy that gave the permit.
func (p Permit) Revision() string { return p.revision }

// Bounds of what a policy may answer.
const (
	maxReasons      = 32
	maxReasonLength = 64
)

// answer reads a decision object: exactly effect and reasons. Anything else is
// errShape, above all a member that this gateway does not know: it might have
// restricted what it does not understand.
func answer(v ast.Value) (gateway.Effect, []gateway.Reason, error) {
	obj, ok := v.(ast.Object)
	if !ok {
		return "", nil, fmt.Errorf("%w: decision is not an object", errShape)
	}
	effectTerm, reasonsTerm := obj.Get(names.effect), obj.Get(names.reasons)
	if effectTerm == nil || reasonsTerm == nil || obj.Len() != 2 {
		return "", nil, fmt.Errorf("%w: decision must have effect, reasons and nothing else", errShape)
	}
	reasons, ok := codes(reasonsTerm.Value)
	if !ok {
		return "", nil, fmt.Errorf("%w: decision.reasons must be a set or array of at most %d codes", errShape, maxReasons)
	}
	word, _ := effectTerm.Value.(ast.String)
	switch effect := gateway.Effect(word); {
	case effect == gateway.Allow, len(reasons) > 0 && (effect == gateway.Deny || effect == gateway.Ask):
		return effect, reasons, nil
	case effect == gateway.Deny, effect == gateway.Ask:
		return "", nil, fmt.Errorf("%w: decision says %s and gives no reason", errShape, effect)
	default:
		return "", nil, fmt.Errorf("%w: decision.effect must be allow, deny or ask", errShape)
	}
}

// codes reads a set or array of reason codes, sorted and each once.
func codes(v ast.Value) ([]gateway.Reason, bool) {
	var list []gateway.Reason
	add := func(t *ast.Term) bool {
		s, ok := t.Value.(ast.String)
		if !ok || !isCode(string(s)) || len(list) == maxReasons {
			return true // stop
		}
		list = append(list, gateway.Reason(s))
		return false
	}
	stopped := false
	switch v := v.(type) {
	case ast.Set:
		stopped = v.Until(add)
	case *ast.Array:
		stopped = v.Until(add)
	default:
		return nil, false
	}
	slices.Sort(list)
	return slices.Compact(list), !stopped
}

// isCode says whether s may be a policy's reason: lower case words joined by
// underscores. The prefix policy_ is the gateway's own, so that a reason always
// tells a rule's answer from the lack of one.
func isCode(s string) bool {
	if s == "" || len(s) > maxReasonLength || strings.HasPrefix(s, "policy_") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'
		if !letter && (i == 0 || !digit && c != '_') {
			return false
		}
	}
	return true
}
