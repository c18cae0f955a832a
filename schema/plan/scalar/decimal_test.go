package scalar

import (
	"math/big"
	"testing"
)

func TestDecimal(t *testing.T) {
	for in, want := range map[string]decimal{
		"0": {0, 0}, "-0": {0, 0}, "1.50": {15, 1}, "100": {100, 0}, "-0.001": {-1, 3}, "1.0": {1, 0},
		"999999999999999999": {999999999999999999, 0},
	} {
		if got, ok := parseDecimal([]byte(in)); !ok || got != want {
			t.Errorf("parseDecimal(%s) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", "1e2", "1E2", "9999999999999999999", "0.1234567890123456789", "+1"} {
		if got, ok := parseDecimal([]byte(in)); ok {
			t.Errorf("parseDecimal(%q) = %v, want it left to the library", in, got)
		}
	}
}

// The comparison is exact or says that it cannot tell.
func TestCompareAgreesWithRationals(t *testing.T) {
	numbers := []string{"0", "1", "-1", "0.1", "0.10000000000000001", "-0.3", "100000000000000000", "999999999999999999",
		"-999999999999999999", "1.5", "0.000000000000000001", "123456789.123456789"}
	told := 0
	for _, a := range numbers {
		for _, b := range numbers {
			x, okx := parseDecimal([]byte(a))
			y, oky := parseDecimal([]byte(b))
			ra, _ := new(big.Rat).SetString(a)
			rb, _ := new(big.Rat).SetString(b)
			sign, ok := compare(x, y)
			if !okx || !oky || !ok {
				continue
			}
			if told++; sign != ra.Cmp(rb) {
				t.Errorf("compare(%s, %s) = %d, want %d", a, b, sign, ra.Cmp(rb))
			}
		}
	}
	if told < 80 {
		t.Errorf("only %d of %d comparisons were told", told, len(numbers)*len(numbers))
	}
}

func TestFromRat(t *testing.T) {
	for in, want := range map[string]decimal{"1/2": {5, 1}, "30": {30, 0}, "-1/8": {-125, 3}} {
		r, _ := new(big.Rat).SetString(in)
		if got, ok := fromRat(r); !ok || got != want {
			t.Errorf("fromRat(%s) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"1/3", "1e400", "9223372036854775808"} {
		r, _ := new(big.Rat).SetString(in)
		if got, ok := fromRat(r); ok {
			t.Errorf("fromRat(%s) = %v, want none", in, got)
		}
	}
}
