package review

import (
	"time"

	"mcp-gateway/gateway"
)

// Record is one reviewer's word about one thing that is offered, as exposure.yaml holds it. It
// speaks for exactly one definition and for no other.
type Record struct {
	Definition gateway.Digest // what was reviewed
	Facts      gateway.ExposureFacts
	Quarantine string // why it is held back; "" = it is not
	HeldBy     string // who said so, and when: for reading
	HeldAt     time.Time
	Waive      map[string]string // finding or evidence code → why it is acceptable
	ApprovedBy string
	ApprovedAt time.Time   // a date, UTC
	Pos        gateway.Pos // where it was written
}

// Waived returns why a code is acceptable; "" = nobody said so.
func (rec *Record) Waived(code string) string {
	if rec == nil {
		return ""
	}
	return rec.Waive[code]
}

// UpstreamRecord is a reviewer's word about an upstream itself. A digest that is
// "" was not reviewed and holds nothing back.
type UpstreamRecord struct {
	Launch       gateway.Digest            // what it is started as, or where it is reached: nothing else is
	Issuer       gateway.Digest            // of the key of the authority that vouches for its host: no other is believed
	Identity     gateway.Digest            // what it runs as, where it runs, what it declares
	Files        map[string]gateway.Digest // the files that make it up, by path
	Instructions gateway.Digest            // what it tells hosts' models
	Source       string                    // where it comes from
	DataRegion   string                    // where it keeps what it is given
	Owner        string
	ApprovedBy   string
	ApprovedAt   time.Time   // a date, UTC; zero where nobody wrote it
	Pos          gateway.Pos // where it was written
}

// Exposure is a whole exposure.yaml. It is not changed after it was handed over.
type Exposure struct {
	Items     map[gateway.ItemID]*Record
	Upstreams map[string]*UpstreamRecord
	Revision  string // names this text, for events
}

// Upstream returns the review of an upstream itself, or nil.
func (x *Exposure) Upstream(id string) *UpstreamRecord {
	if x == nil {
		return nil
	}
	return x.Upstreams[id]
}

// Of returns the record of an item, or nil.
func (x *Exposure) Of(id gateway.ItemID) *Record {
	if x == nil {
		return nil
	}
	return x.Items[id]
}
