package rawjson

import "bytes"

// decimal is a JSON number taken apart: ±0.digits × 10^exp, with no zero at
// either end of digits, so that equal numbers have equal fields. Zero has no
// digits. Integers of any length compare exactly, which doubles do not.
type decimal struct {
	negative bool
	whole    []byte // the significant digits before the point …
	fraction []byte // … and after it; both alias the lexeme
	exp      int
}

// parseDecimal takes a number lexeme apart; false if it is none by the JSON
// grammar or exceeds the default limits.
func parseDecimal(lexeme []byte) (decimal, bool) {
	lim := DefaultLimits()
	if !isNumber(lexeme) || numberExcess(lexeme, lim) != "" {
		return decimal{}, false
	}
	var d decimal
	d.negative = lexeme[0] == '-'
	if d.negative {
		lexeme = lexeme[1:]
	}
	mantissa, exp := lexeme, 0
	if e := bytes.IndexAny(lexeme, "eE"); e >= 0 {
		mantissa, exp = lexeme[:e], atoi(lexeme[e+1:])
	}
	d.whole, d.fraction, _ = bytes.Cut(mantissa, []byte("."))
	d.exp = exp + len(d.whole)
	d.normalize()
	return d, true
}

// normalize drops zeros at both ends of the digits and moves exp accordingly.
func (d *decimal) normalize() {
	for len(d.whole) > 0 && d.whole[0] == '0' {
		d.whole = d.whole[1:]
		d.exp--
	}
	if len(d.whole) == 0 {
		rest := bytes.TrimLeft(d.fraction, "0")
		d.exp -= len(d.fraction) - len(rest)
		d.fraction = rest
	}
	if d.fraction = bytes.TrimRight(d.fraction, "0"); len(d.fraction) == 0 {
		d.whole = bytes.TrimRight(d.whole, "0")
	}
	if len(d.whole)+len(d.fraction) == 0 {
		d.negative, d.exp = false, 0
	}
}

func (d decimal) len() int { return len(d.whole) + len(d.fraction) }

func (d decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.fraction[i-len(d.whole)]
}

func (d decimal) equal(o decimal) bool {
	if d.negative != o.negative || d.exp != o.exp || d.len() != o.len() {
		return false
	}
	for i := range d.len() {
		if d.digit(i) != o.digit(i) {
			return false
		}
	}
	return true
}

// SameNumber reports whether two number lexemes have one value: 42, 42.0 and
// 4.2e1 do. It is exact at any size. What is no number by the JSON grammar, or
// exceeds the default limits, is the same as nothing.
func SameNumber(a, b []byte) bool {
	x, ok := parseDecimal(a)
	y, okToo := parseDecimal(b)
	return ok && okToo && x.equal(y)
}

// IntegerText returns the lexeme in plain decimal notation if its value is an
// integer of at most 128 digits, else the lexeme itself.
func IntegerText(lexeme []byte) string {
	d, ok := parseDecimal(lexeme)
	if IsInteger(lexeme) || !ok || d.exp < d.len() || d.exp > DefaultLimits().NumberLen {
		return string(lexeme)
	}
	if d.len() == 0 {
		return "0"
	}
	text := make([]byte, 0, d.exp+1)
	if d.negative {
		text = append(text, '-')
	}
	text = append(append(text, d.whole...), d.fraction...)
	return string(append(text, bytes.Repeat([]byte("0"), d.exp-d.len())...))
}

// isNumber reports whether b is one number by the JSON grammar (RFC 8259
// section 6) and nothing else.
func isNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	whole := digits(b)
	if whole == 0 || whole > 1 && b[0] == '0' {
		return false
	}
	b = b[whole:]
	if len(b) > 0 && b[0] == '.' {
		n := digits(b[1:])
		if n == 0 {
			return false
		}
		b = b[1+n:]
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		n := digits(b)
		return n > 0 && n == len(b)
	}
	return len(b) == 0
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// atoi reads a signed exponent that numberExcess has bounded.
func atoi(b []byte) int {
	n := 0
	for _, c := range b {
		if isDigit(c) {
			n = n*10 + int(c-'0')
		}
	}
	if len(b) > 0 && b[0] == '-' {
		return -n
	}
	return n
}
