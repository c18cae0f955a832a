package tell

import (
	"slices"

	"mcp-gateway/gateway"
)

// Codes are the codes of all problems in an error, each once; one that
// names none is "internal".
func Codes(err error) []gateway.Reason {
	var all []gateway.Reason
	add := func(code string) {
		if r := gateway.Reason(code); !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	for next := []error{err}; len(next) > 0; next = next[1:] {
		switch e := next[0].(type) {
		case gateway.Problems:
			for _, p := range e {
				add(p.Code)
			}
		case interface{ Unwrap() []error }:
			next = append(next, e.Unwrap()...)
		case interface{ Unwrap() error }:
			next = append(next, e.Unwrap())
		}
	}
	if len(all) == 0 {
		add(string(gateway.CodeInternal))
	}
	return all
}
