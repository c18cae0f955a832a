package scan_test

import (
	"fmt"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/schema/plan/scan"
)

func ExampleMember() {
	raw := []byte(`{"a": 1, "b\n": [2]}`)
	for i, more := scan.Next(raw, 1); more; {
		name, value := scan.Member(raw, i)
		end := scan.Value(raw, value)
		fmt.Printf("%q %s\n", name, raw[value:end])
		i, more = scan.Next(raw, end)
	}
	// Output:
	// "a" 1
	// "b\n" [2]
}

// A checked value ends where its text ends, but for white space.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":["\\\"",{},[]],"b":-1e2}`, ` true `, `"\\"`, `[1 , 2]`, `{"`, `[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end := scan.Space(raw, scan.Value(raw, 0))
		if end > len(raw) || protocol.Check(raw, protocol.Limits{}) == nil && end != len(raw) {
			t.Fatalf("%q ends at %d of %d", raw, end, len(raw))
		}
	})
}
