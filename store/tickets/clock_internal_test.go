package tickets

import (
	"testing"
	"time"
)

func TestOnward(t *testing.T) {
	for _, tc := range []struct {
		name   string
		passed time.Duration
		wall   int64
		want   int64
	}{
		{"as the clock says", time.Second, 100e9 + 1e9, 101e9},
		{"set back, and a second has passed", time.Second, 40e9, 101e9},
		{"set forward", time.Second, 500e9, 500e9},
		{"looked at by who came earlier", -time.Second, 99e9, 100e9},
		{"set back, and nobody knows what has passed", -time.Minute, 40e9, 100e9},
	} {
		if got := onward(100e9, tc.passed, tc.wall); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}
