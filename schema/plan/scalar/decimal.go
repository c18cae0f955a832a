package scalar

import "math/big"

// decimal is m / 10^k, without trailing zeros in m while k > 0.
type decimal struct {
	m int64
	k int
}

// maxDigits keeps a decimal and its alignment with another within an int64.
const maxDigits = 18

// parseDecimal reads a number lexeme without an exponent and of at most 18
// digits; everything else is left to the library.
func parseDecimal(lexeme []byte) (d decimal, ok bool) {
	if len(lexeme) == 0 || len(lexeme) > maxDigits+2 {
		return d, false
	}
	negative := lexeme[0] == '-'
	if negative {
		lexeme = lexeme[1:]
	}
	point, digits := false, 0
	for _, c := range lexeme {
		switch {
		case c == '.':
			point = true
			continue
		case c < '0' || c > '9':
			return d, false
		}
		if digits++; digits > maxDigits {
			return d, false
		}
		d.m = d.m*10 + int64(c-'0')
		if point {
			d.k++
		}
	}
	for d.k > 0 && d.m%10 == 0 {
		d.m /= 10
		d.k--
	}
	if negative {
		d.m = -d.m
	}
	return d, digits > 0
}

// fromRat turns a bound of a schema into a decimal where it is one.
func fromRat(r *big.Rat) (decimal, bool) {
	for k := range maxDigits {
		s := r.FloatString(k)
		if d, ok := parseDecimal([]byte(s)); ok {
			if back, _ := new(big.Rat).SetString(s); back.Cmp(r) == 0 {
				return d, true
			}
		}
	}
	return decimal{}, false
}

// compare returns the sign of a-b; ok is false where it would not fit.
func compare(a, b decimal) (sign int, ok bool) {
	for a.k < b.k {
		if a.m > 1<<59 || a.m < -1<<59 {
			return 0, false
		}
		a.m, a.k = a.m*10, a.k+1
	}
	for b.k < a.k {
		if b.m > 1<<59 || b.m < -1<<59 {
			return 0, false
		}
		b.m, b.k = b.m*10, b.k+1
	}
	switch {
	case a.m < b.m:
		return -1, true
	case a.m > b.m:
		return 1, true
	}
	return 0, true
}

type bound struct {
	at        decimal
	side      int // 0 = minimum, 1 = maximum
	inclusive bool
}

func (b bound) holds(d decimal) Verdict {
	sign, ok := compare(d, b.at)
	if !ok {
		return Maybe
	}
	if b.side == 1 {
		sign = -sign
	}
	return YesIf(sign > 0 || sign == 0 && b.inclusive)
}
