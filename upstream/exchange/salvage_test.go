package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSalvage(t *testing.T) {
	for line, want := range map[string][]int64{
		`{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}`: {7, 7},
		`{"result":{"id":3},"jsonrpc":"2.0","id": 12}`:    {12, 3},
		`{"jsonrpc":"2.0","id":"7","result":{`:            nil,
		`{"id":9007199254740993000000,"result":{}}`:       nil,
		`{"id":0}`:   nil,
		`{"id":-1}`:  nil,
		`{"id":`:     nil,
		`no message`: nil,
	} {
		if got := salvage([]byte(line)); !slices.Equal(got, want) {
			t.Errorf("salvage(%s) = %v, want %v", line, got, want)
		}
	}
}

// FuzzSalvage: only numbers that stand in the text behind the key come out.
func FuzzSalvage(f *testing.F) {
	f.Add([]byte(`{"id":7,"x":1,"id": 8}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, id := range salvage(line) {
			if id <= 0 || !strings.Contains(string(line), fmt.Sprint(id)) {
				t.Fatalf("%d out of %q", id, line)
			}
		}
	})
}
