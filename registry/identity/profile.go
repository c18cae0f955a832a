package identity

import (
	"time"

	"mcp-gateway/gateway"
)

// Profile is what an upstream was observed to be, as it was last put on record.
type Profile struct {
	Identity     gateway.Digest
	Instructions gateway.Digest // of "null" where it gives none
	Capabilities gateway.Digest // likewise
	Era          string
	Revision     string
	Refused      gateway.Reason // why it is not met, being what it may not be; "" = it is
	At           time.Time      // when it was put on record
}

// Differs names what is different from what was observed before, nil where nothing
// was.
func (p *Profile) Differs(before *Profile) []gateway.Reason {
	if before == nil {
		return []gateway.Reason{gateway.ReasonMet}
	}
	var all []gateway.Reason
	for _, c := range [...]struct {
		same   bool
		reason gateway.Reason
	}{
		{p.Identity == before.Identity, gateway.ReasonIdentityChanged},
		{p.Era == before.Era, gateway.ReasonEraChanged},
		{p.Revision == before.Revision, gateway.ReasonRevisionChanged},
		{p.Capabilities == before.Capabilities, gateway.ReasonCapabilitiesChanged},
		{p.Instructions == before.Instructions, gateway.ReasonInstructionsChanged},
		{before.Refused == "", gateway.ReasonRestored},
	} {
		if !c.same {
			all = append(all, c.reason)
		}
	}
	return all
}
