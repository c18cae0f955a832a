package plan

import (
	"encoding/json"
	"math/big"
	"unicode/utf8"
)

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
	return yesIf(sign > 0 || sign == 0 && b.inclusive)
}

// number judges a number lexeme.
func (n *Node) number(lexeme []byte) Verdict {
	integerOnly := n.kinds&kInteger != 0 && n.kinds&kNumber == 0
	if !integerOnly && n.allowed == nil && n.bounds == nil && n.multiple == 0 && !n.opaqueNumber {
		return Yes
	}
	d, ok := parseDecimal(lexeme)
	if !ok || n.opaqueNumber {
		return Maybe
	}
	v := yesIf(!integerOnly || d.k == 0)
	for _, b := range n.bounds {
		v = min(v, b.holds(d))
	}
	if n.multiple != 0 {
		v = min(v, yesIf(d.k == 0 && d.m%n.multiple == 0))
	}
	for _, c := range n.allowed {
		v = min(v, c.number(d))
	}
	return v
}

// str judges a string by its token.
func (n *Node) str(token []byte, fuel *int) Verdict {
	if n.allowed == nil && n.minLen < 0 && n.maxLen < 0 && n.pattern == nil {
		return Yes
	}
	s, v := text(token), Yes
	for _, c := range n.allowed {
		_, ok := c.strings[string(s)]
		v = min(v, yesIf(ok))
	}
	if n.minLen >= 0 || n.maxLen >= 0 {
		count := utf8.RuneCount(s)
		v = min(v, yesIf(count >= n.minLen && (n.maxLen < 0 || count <= n.maxLen)))
	}
	if n.pattern != nil && v != No {
		if *fuel -= n.pattern.cost(len(s)); *fuel < 0 {
			return Maybe
		}
		v = min(v, yesIf(n.pattern.Match(s)))
	}
	return v
}

// constants are the members of an enum, or the one of a const.
type constants struct {
	strings map[string]struct{}
	numbers []decimal
	kinds   int  // of the literals: kNull
	yes, no bool // true and false are members
	opaque  bool // holds numbers that are no short decimals
	deep    bool // holds arrays or objects
	weight  int  // values in all, the price of one comparison by the library
}

func newConstants(values []any) *constants {
	c := &constants{strings: map[string]struct{}{}}
	for _, v := range values {
		c.weight += weigh(v)
		switch v := v.(type) {
		case nil:
			c.kinds |= kNull
		case bool:
			c.yes, c.no = c.yes || v, c.no || !v
		case string:
			c.strings[v] = struct{}{}
		case json.Number:
			d, ok := parseDecimal([]byte(v))
			c.opaque = c.opaque || !ok
			if ok {
				c.numbers = append(c.numbers, d)
			}
		default:
			c.deep = true
		}
	}
	return c
}

func weigh(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += weigh(e)
		}
	case map[string]any:
		for _, e := range v {
			n += weigh(e)
		}
	}
	return n
}

func (c *constants) number(d decimal) Verdict {
	for _, m := range c.numbers {
		if m == d {
			return Yes
		}
	}
	if c.opaque {
		return Maybe
	}
	return No
}

// literal judges null, true and false by their first byte.
func (n *Node) literal(first byte) Verdict {
	v := Yes
	for _, c := range n.allowed {
		v = min(v, yesIf(first == 'n' && c.kinds&kNull != 0 || first == 't' && c.yes || first == 'f' && c.no))
	}
	return v
}

// container judges arrays and objects against enum and const only.
func (n *Node) container() Verdict {
	v := Yes
	for _, c := range n.allowed {
		if c.deep {
			v = min(v, Maybe)
		} else {
			v = No
		}
	}
	return v
}
