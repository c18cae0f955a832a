//go:build !race

package redact_test

// raceEnabled: see the other half of this pair.
const raceEnabled = false
