package protocol

import "slices"

// The protocol revisions. They are dates, so their order is that of their text.
const (
	Revision20260728 = "2026-07-28"
	Revision20251125 = "2025-11-25"
	Revision20250618 = "2025-06-18"
	Revision20250326 = "2025-03-26"
	Revision20241105 = "2024-11-05"
)

// Revisions returns the revisions that the gateway knows, newest first.
func Revisions() []string {
	return []string{Revision20260728, Revision20251125, Revision20250618, Revision20250326, Revision20241105}
}

// LegacyRevisions returns the revisions with which a host may initialize, newest
// first. 2024-11-05 is spoken to upstreams only: its transport had two endpoints.
func LegacyRevisions() []string {
	return []string{Revision20251125, Revision20250618, Revision20250326}
}

// IsKnown reports whether rev is one of Revisions.
func IsKnown(rev string) bool { return slices.Contains(Revisions(), rev) }

// IsModern reports whether rev names a revision of the stateless era, known or
// still to come: a date from 2026-07-28 on. Its peers put the revision into
// each request and never initialise.
func IsModern(rev string) bool { return isDate(rev) && rev >= Revision20260728 }

// HighestCommon returns the newest revision that is in both lists, or "".
func HighestCommon(ours, theirs []string) string {
	best := ""
	for _, rev := range ours {
		if rev > best && slices.Contains(theirs, rev) {
			best = rev
		}
	}
	return best
}

func isDate(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	for i := range len(s) {
		dash, digit := s[i] == '-', s[i]-'0' <= 9
		if wantDash := i == 4 || i == 7; dash != wantDash || digit == wantDash {
			return false
		}
	}
	return true
}
