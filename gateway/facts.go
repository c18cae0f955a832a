package gateway

import "time"

// StatusQuery says how it can be found out later whether a write happened: the
// upstream's own read tool, called with these arguments, gives at Found the
// external id of what was written.
type StatusQuery struct {
	Tool      string            // the upstream's name of a reviewed read tool
	Arguments map[string]string // its arguments; "{key}" in a text stands for the idempotency key
	Found     string            // JSON Pointer into its structuredContent
}

// Deprecation says that a tool is on its way out: callable, and marked, until
// its sunset.
type Deprecation struct {
	Sunset time.Time // the first day, UTC, on which it is not served
	Use    string    // the upstream's name of what replaces it; "" = nothing does
}

// Retired says whether the sunset has come.
func (d *Deprecation) Retired(now time.Time) bool { return d != nil && !now.Before(d.Sunset) }

// AuditLevel says how durable an item's events must be: "" leaves it to the class
// of its side effect. A reviewer may ask for more, never for less.
type AuditLevel string

// AuditDisk asks for what survives the death of the machine.
const AuditDisk AuditLevel = "disk"
