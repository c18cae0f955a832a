package review

import (
	"maps"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/identity"
)

// Met is what an upstream is, by digests. One that is not known is "".
type Met struct {
	Launch       gateway.Digest // what it would be started as now
	Issuer       gateway.Digest // of who vouches for its host
	Identity     gateway.Digest
	Instructions gateway.Digest // of "null" where it gives none
}

// Stand says where an upstream stands by its record, nil where it has none: new where
// nothing of it was reviewed, changed where anything is not as it was reviewed, with
// what that is.
func (r *UpstreamRecord) Stand(is Met) (gateway.ExposureState, []gateway.Reason) {
	if r == nil || r.Launch+r.Issuer+r.Identity+r.Instructions == "" {
		return gateway.StateNew, []gateway.Reason{gateway.ReasonUnreviewed}
	}
	var changed []gateway.Reason
	for _, c := range [...]struct {
		reviewed, is gateway.Digest
		reason       gateway.Reason
	}{
		{r.Launch, is.Launch, gateway.ReasonLaunchChanged},
		{r.Issuer, is.Issuer, gateway.ReasonIssuerChanged},
		{r.Identity, is.Identity, gateway.ReasonIdentityChanged},
		{r.Instructions, is.Instructions, gateway.ReasonInstructionsChanged},
	} {
		if c.reviewed != "" && !identity.Same(c.is, c.reviewed) {
			changed = append(changed, c.reason)
		}
	}
	if changed != nil {
		return gateway.StateChanged, changed
	}
	return gateway.StateApproved, nil
}

// Tells says whether a reviewer saw these instructions.
func (r *UpstreamRecord) Tells(instructions gateway.Digest) bool {
	return r != nil && r.Instructions != "" && identity.Same(instructions, r.Instructions)
}

// MeasuresAs says whether an upstream is the same by both records, nil where there is none:
// they declare the same files with the same contents, and name one identity. Where they
// do not, what was measured by one says nothing by the other.
func (r *UpstreamRecord) MeasuresAs(other *UpstreamRecord) bool {
	var none UpstreamRecord
	if r == nil {
		r = &none
	}
	if other == nil {
		other = &none
	}
	return r.Identity == other.Identity && maps.Equal(r.Files, other.Files)
}
