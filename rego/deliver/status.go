package deliver

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"
)

// CodeService says that the bundle service gave no bundle: it does not answer, or
// answers something else.
const CodeService = "bundle_service_unavailable"

// From says where the bundle in force came from.
type From string

// Where from.
const (
	Service From = "service"
	File    From = "file"
	Kept    From = "kept" // what was taken before this start
)

// Status is how a delivery stands. It holds nothing that a stranger wrote: label is
// of a bundle that verified.
type Status struct {
	From     From      `json:"from,omitempty"`     // of the bundle in force; "" = there is none
	Revision string    `json:"revision,omitempty"` // of the policy in force
	Label    string    `json:"label,omitempty"`    // what its maker calls it
	Sequence int64     `json:"sequence,omitempty"`
	Taken    time.Time `json:"taken,omitzero"`
	Asked    time.Time `json:"asked,omitzero"`    // when the service last answered
	Refused  []string  `json:"refused,omitempty"` // codes of what is wrong with the last bundle that came
	Away     bool      `json:"away,omitempty"`    // the service gave no answer when it was asked last
}

// Status returns how the delivery stands.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Refused = slices.Clone(st.Refused)
	return st
}

func (s *Source) took(b *pack.Bundle, from From) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = b
	s.status.From, s.status.Revision, s.status.Label, s.status.Sequence = from, b.Revision, b.Label, b.Sequence
	s.status.Taken, s.status.Refused = s.o.Now(), nil
}

// refused notes what is wrong with what came.
func (s *Source) refused(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Refused = Codes(err)
}

// first says whether a bundle that is refused is another than was refused last.
func (s *Source) first(raw []byte) bool {
	sum := sha256.Sum256(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.bad == sum
	s.bad = sum
	return !known
}

// confirmed notes that what the service has is what is in force.
func (s *Source) confirmed(etag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etag, s.bad, s.status.Refused = etag, [sha256.Size]byte{}, nil
}

// still notes that the service has what etag names, as before: what is in force, or
// what was refused.
func (s *Source) still(etag string) {
	if s.mu.Lock(); etag != "" && etag == s.etag {
		s.bad, s.status.Refused = [sha256.Size]byte{}, nil
	}
	s.mu.Unlock()
}

// answered notes whether the service answered, and returns whether it did before.
func (s *Source) answered(yes bool) (before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = !s.status.Away
	s.status.Away = !yes
	if yes {
		s.status.Asked = s.o.Now()
	}
	return before
}

// Codes are the codes of what is wrong, each once: those of gateway.Problems, or
// "internal" for any other error.
func Codes(err error) []string {
	var problems gateway.Problems
	if !errors.As(err, &problems) {
		return []string{string(gateway.CodeInternal)}
	}
	var out []string
	for _, p := range problems {
		if !slices.Contains(out, p.Code) {
			out = append(out, p.Code)
		}
	}
	return out
}
