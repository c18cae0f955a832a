package rego

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Decision is policy's answer about one call. Its slices may be shared and are
// not to be changed.
type Decision struct {
	Effect      gateway.Effect      // what policy says, whoever has approved
	Reasons     []gateway.Reason    // sorted, each once; empty only with Allow
	Obligations gateway.Obligations // to be kept by whoever lets the call go ahead
	Warned      []gateway.Reason    // codes of rules in mode warn: for the record and the caller
	Watched     []gateway.Reason    // codes of rules in mode audit: for the record
	Approved    bool                // the approval meets what the effect and the obligations ask for
	Revision    string              // of the policy that decided
	Err         error               // why evaluation gave no answer; for the operator's log, never sent

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
	v, err := ast.JSON(d.asked.kept())
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

// Permit returns the proof that policy lets the call go ahead, and whether it
// does: it allows it, or asks for what a human has approved.
func (d Decision) Permit() (Permit, bool) {
	if d.Effect != gateway.Allow && (d.Effect != gateway.Ask || !d.Approved) || !d.permit.Valid() {
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

// maxReasons bounds what a policy may answer.
const maxReasons = 32

// answer is what a policy says, before anybody's approval is looked at.
type answer struct {
	effect          gateway.Effect
	reasons         []gateway.Reason
	obligations     gateway.Obligations
	warned, watched []gateway.Reason
}

// answerOf reads a decision object: effect and reasons, and if need be what is
// owed and what is only noted. Anything else is errShape, above all a member that
// this gateway does not know: it might have restricted what it does not
// understand.
func answerOf(v ast.Value, words check.Words) (*answer, error) {
	obj, ok := v.(ast.Object)
	if !ok {
		return nil, fmt.Errorf("%w: decision is not an object", errShape)
	}
	a, err, known := &answer{}, error(nil), 0
	member := func(name *ast.Term, read func(ast.Value) error) {
		if t := obj.Get(name); t != nil && err == nil {
			known++
			err = read(t.Value)
		}
	}
	member(names.effect, func(v ast.Value) error { s, _ := v.(ast.String); a.effect = gateway.Effect(s); return nil })
	member(names.reasons, func(v ast.Value) error { return codes(v, words, &a.reasons) })
	member(names.obligations, func(v ast.Value) error { return obligations(v, &a.obligations) })
	member(names.warned, func(v ast.Value) error { return codes(v, words, &a.warned) })
	member(names.watched, func(v ast.Value) error { return codes(v, words, &a.watched) })
	switch {
	case err != nil:
		return nil, err
	case obj.Len() != known || obj.Get(names.effect) == nil || obj.Get(names.reasons) == nil:
		return nil, fmt.Errorf("%w: decision must have effect and reasons, may have obligations, warned and watched, and nothing else", errShape)
	}
	return a, a.check()
}

// check holds the effect to its reasons.
func (a *answer) check() error {
	switch {
	case a.effect == gateway.Allow, len(a.reasons) > 0 && (a.effect == gateway.Deny || a.effect == gateway.Ask):
		return nil
	case a.effect == gateway.Deny, a.effect == gateway.Ask:
		return fmt.Errorf("%w: decision says %s and gives no reason", errShape, a.effect)
	default:
		return fmt.Errorf("%w: decision.effect must be allow, deny or ask", errShape)
	}
}

// codes reads a set or array of the policy's own reasons, sorted and each once.
func codes(v ast.Value, words check.Words, into *[]gateway.Reason) error {
	var list []gateway.Reason
	err := elements(v, maxReasons, func(t *ast.Term) error {
		s, ok := t.Value.(ast.String)
		if !ok || !check.IsCode(string(s)) {
			return fmt.Errorf("%w: a reason is no code", errShape)
		}
		if _, known := words[gateway.Reason(s)]; !known {
			return fmt.Errorf("%w: the reason %q is none of those that the policy declares", errShape, string(s))
		}
		list = append(list, gateway.Reason(s))
		return nil
	})
	slices.Sort(list)
	*into = slices.Clip(slices.Compact(list))
	return err
}

// approve says whether the call has the approvals that it needs: those that the
// obligations name, or for a bare ask that of anyone but the caller. An allow
// that owes an approval is an ask.
func (d *Decision) approve(a *gateway.ApprovalFact, at time.Time) {
	switch {
	case d.Effect == gateway.Ask && len(d.Obligations.Approvals) == 0:
		d.Approved = gateway.ApprovalBy{}.MetBy(a, at)
		return
	case d.Effect == gateway.Allow && len(d.Obligations.Approvals) > 0:
		d.Effect = gateway.Ask
		d.Reasons = append(slices.Clone(d.Reasons), gateway.ReasonApprovalOwed)
	case d.Effect != gateway.Ask:
		return
	}
	d.Approved = true
	for _, by := range d.Obligations.Approvals {
		d.Approved = d.Approved && by.MetBy(a, at)
	}
}
