package registry

import (
	"time"

	"mcp-gateway/gateway"
)

// Record is one reviewer's word about one tool, as exposure.yaml holds it. It
// speaks for exactly one definition and for no other.
type Record struct {
	Definition gateway.Digest // what was reviewed
	Facts      gateway.ExposureFacts
	Quarantine string            // why the tool is held back; "" = it is not
	Waive      map[string]string // finding or evidence code → why it is acceptable
	ApprovedBy string
	ApprovedAt time.Time     // a date, UTC
	Timeout    time.Duration // of one call; 0 = the upstream's
	Pos        gateway.Pos   // where it was written
}

// Exposure is a whole exposure.yaml. It is not changed after it was handed over.
type Exposure struct {
	Tools    map[gateway.ToolID]*Record
	Revision string // names this text, for events
}

// record returns the record of a tool, or nil.
func (x *Exposure) record(id gateway.ToolID) *Record {
	if x == nil {
		return nil
	}
	return x.Tools[id]
}
