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

// CodeForgotten says that what was remembered of bundles that were replaced can't be
// read.
const CodeForgotten = "bundle_past_unreadable"

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
	Revision string    `json:"revision,omitempty"` // of the bundle in force
	Label    string    `json:"label,omitempty"`    // what its maker calls it
	Sequence int64     `json:"sequence,omitempty"`
	Taken    time.Time `json:"taken,omitzero"`    // when it came in force
	Came     time.Time `json:"came,omitzero"`     // when a bundle came last, good or bad
	Asked    time.Time `json:"asked,omitzero"`    // when the service last answered
	Tried    time.Time `json:"tried,omitzero"`    // when it was asked last
	Refused  []string  `json:"refused,omitempty"` // codes of what is wrong with the last bundle that came
	Away     bool      `json:"away,omitempty"`    // the service gave no answer when it was asked last
	Waits    bool      `json:"waits,omitempty"`   // one came and verified, and waits for other bundles of the policy
}

// Code is what is wrong now, "" for nothing: of the last bundle that came, or that the
// service is away.
func (s Status) Code() string {
	switch {
	case len(s.Refused) > 0:
		return s.Refused[0]
	case s.Away:
		return CodeService
	}
	return ""
}

// standing returns how the delivery stands.
func (s *Source) standing() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Refused = slices.Clone(st.Refused)
	return st
}

// held returns the bundle that verified last, or nil.
func (s *Source) held() *pack.Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// waits notes that what verified last waits for others.
func (s *Source) waits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Waits, s.status.Refused = true, nil
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

// arrived notes that a bundle came.
func (s *Source) arrived() {
	s.mu.Lock()
	s.status.Came = s.o.Now()
	s.mu.Unlock()
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
	s.status.Away, s.status.Tried = !yes, s.o.Now()
	if yes {
		s.status.Asked = s.status.Tried
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
