//go:build race

package redact_test

// raceEnabled: the race detector makes pools forget, so allocations say nothing.
const raceEnabled = true
