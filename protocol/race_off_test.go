//go:build !race

package protocol_test

// raceEnabled: see the other half of this pair.
const raceEnabled = false
