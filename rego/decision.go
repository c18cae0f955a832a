package rego

import (
	"crypto/sha256"
	"slices"
	"time"

	"mcp-gateway/gateway"
)

// Decision is policy's answer about one call. Its slices may be shared and are
// not to be changed.
type Decision struct {
	Effect      gateway.Effect      // what policy says, whoever has approved
	Reasons     []gateway.Reason    // sorted, each once; empty only with Allow
	Obligations gateway.Obligations // to be kept by whoever lets the call go ahead
	Warned      []gateway.Reason    // codes of rules in mode warn: for the record
	Watched     []gateway.Reason    // codes of rules in mode audit: for the record
	Approved    bool                // the approval meets what the effect and the obligations ask for
	Revision    string              // of the policy that decided
	Err         error               // why evaluation gave no answer; for the operator's log, never sent

	asked  question
	permit Permit
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
