//go:build !race

package rawjson_test

// raceEnabled: see the other half of this pair.
const raceEnabled = false
