package exchange

import (
	"slices"
	"sync"
)

// severity orders the levels of RFC 5424, from 1; 0 is no level.
func severity(level string) int {
	return 1 + slices.Index([]string{
		"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level)
}

// Volume is the level of log messages that a legacy session was set to: the
// least severe that any exchange asked for, as a session has one for all. The
// zero value is a session that was not told.
type Volume struct {
	mu  sync.Mutex
	set string
}

// Raise calls set with the level if the session is to send less severe messages
// than up to now. A set that fails is not repeated for that level.
func (v *Volume) Raise(level string, set func(level string)) {
	if level == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.set == "" || severity(level) < severity(v.set) {
		v.set = level
		set(level)
	}
}
