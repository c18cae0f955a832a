package scalar

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"unicode/utf8"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema/plan/scan"
)

// Verdict is what could be proved.
type Verdict int8

// The verdicts, in an order in which "and" is the smaller of two, "or" the
// greater.
const (
	No Verdict = iota
	Maybe
	Yes
)

// YesIf returns Yes or No.
func YesIf(ok bool) Verdict {
	if ok {
		return Yes
	}
	return No
}

// Kind is a set of kinds of JSON value.
type Kind int

// The kinds, as bits.
const (
	Null Kind = 1 << iota
	Bool
	Number
	Integer
	String
	Array
	Object
)

// KindOf tells a value by its first byte.
func KindOf(first byte) Kind {
	switch first {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Pattern is a regular expression with the size of its program, which is what
// one byte of input may cost.
type Pattern struct {
	*regexp.Regexp
	Size int
}

// Cost is the price of matching n bytes, in steps.
func (p *Pattern) Cost(n int) int { return 1 + n*p.Size/256 }

// Rule is what a subschema says of one value. Limit's -1 stands for none.
type Rule struct {
	Pattern *Pattern

	kinds          Kind // 0 = any
	allowed        []*constants
	minLen, maxLen int
	bounds         []bound
	multiple       int64 // 0 = none
	opaqueNumber   bool  // bounds that are no short decimals
	opaque         bool  // a pattern that is not ours
}

// RuleOf takes the rule from a compiled subschema.
func RuleOf(s *jsonschema.Schema) Rule {
	r := Rule{minLen: Limit(s.MinLength), maxLen: Limit(s.MaxLength)}
	if s.Types != nil {
		for _, t := range s.Types.ToStrings() {
			r.kinds |= kindNamed(t)
		}
	}
	if s.Enum != nil {
		r.allowed = append(r.allowed, newConstants(s.Enum.Values))
	}
	if s.Const != nil {
		r.allowed = append(r.allowed, newConstants([]any{*s.Const}))
	}
	if s.Pattern != nil {
		r.Pattern, _ = s.Pattern.(*Pattern)
		r.opaque = r.Pattern == nil
	}
	r.bound(s.Minimum, 0, true)
	r.bound(s.ExclusiveMinimum, 0, false)
	r.bound(s.Maximum, 1, true)
	r.bound(s.ExclusiveMaximum, 1, false)
	if m := s.MultipleOf; m != nil {
		if m.IsInt() && m.Num().IsInt64() {
			r.multiple = m.Num().Int64()
		}
		r.opaqueNumber = r.opaqueNumber || r.multiple <= 0
	}
	return r
}

// Limit returns the bound, or -1 for none.
func Limit(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}

func (r *Rule) bound(at *big.Rat, side int, inclusive bool) {
	if at == nil {
		return
	}
	d, ok := fromRat(at)
	r.opaqueNumber = r.opaqueNumber || !ok
	r.bounds = append(r.bounds, bound{d, side, inclusive})
}

func kindNamed(name string) Kind {
	switch name {
	case "null":
		return Null
	case "boolean":
		return Bool
	case "number":
		return Number
	case "integer":
		return Integer
	case "string":
		return String
	case "array":
		return Array
	default:
		return Object
	}
}

// Admits reports whether a value of that kind, as KindOf gives it, may be valid.
func (r *Rule) Admits(k Kind) bool {
	if k == Number {
		k |= Integer
	}
	return r.kinds == 0 || r.kinds&k != 0
}

// AnyString reports whether every string satisfies the rule.
func (r *Rule) AnyString() bool {
	return r.Admits(String) && !r.opaque && r.allowed == nil && r.Pattern == nil && r.minLen < 0 && r.maxLen < 0
}

// Number judges a number lexeme.
func (r *Rule) Number(lexeme []byte) Verdict {
	integerOnly := r.kinds&Integer != 0 && r.kinds&Number == 0
	if !integerOnly && r.allowed == nil && r.bounds == nil && r.multiple == 0 && !r.opaqueNumber {
		return Yes
	}
	d, ok := parseDecimal(lexeme)
	if !ok || r.opaqueNumber {
		return Maybe
	}
	v := YesIf(!integerOnly || d.k == 0)
	for _, b := range r.bounds {
		v = min(v, b.holds(d))
	}
	if r.multiple != 0 {
		v = min(v, YesIf(d.k == 0 && d.m%r.multiple == 0))
	}
	for _, c := range r.allowed {
		v = min(v, c.number(d))
	}
	return v
}

// String judges a string by its token. The pattern is paid for in fuel.
func (r *Rule) String(token []byte, fuel *int) Verdict {
	if r.opaque {
		return Maybe
	}
	if r.allowed == nil && r.minLen < 0 && r.maxLen < 0 && r.Pattern == nil {
		return Yes
	}
	s, v := scan.Text(token), Yes
	for _, c := range r.allowed {
		_, ok := c.strings[string(s)]
		v = min(v, YesIf(ok))
	}
	if r.minLen >= 0 || r.maxLen >= 0 {
		count := utf8.RuneCount(s)
		v = min(v, YesIf(count >= r.minLen && (r.maxLen < 0 || count <= r.maxLen)))
	}
	if r.Pattern != nil && v != No {
		if *fuel -= r.Pattern.Cost(len(s)); *fuel < 0 {
			return Maybe
		}
		v = min(v, YesIf(r.Pattern.Match(s)))
	}
	return v
}

// Literal judges null, true and false by their first byte.
func (r *Rule) Literal(first byte) Verdict {
	v := Yes
	for _, c := range r.allowed {
		v = min(v, YesIf(first == 'n' && c.null || first == 't' && c.yes || first == 'f' && c.no))
	}
	return v
}

// Container judges arrays and objects against enum and const only.
func (r *Rule) Container() Verdict {
	v := Yes
	for _, c := range r.allowed {
		if c.deep {
			v = min(v, Maybe)
		} else {
			v = No
		}
	}
	return v
}

// constants are the members of an enum, or the one of a const.
type constants struct {
	values  int
	strings map[string]struct{}
	numbers map[decimal]struct{}
	null    bool
	yes, no bool // true and false
	opaque  bool // holds numbers that are no short decimals
	deep    bool // holds arrays or objects
	weight  int  // of all values, the price of looking through them by the library
}

func newConstants(values []any) *constants {
	c := &constants{values: len(values), strings: map[string]struct{}{}, numbers: map[decimal]struct{}{}}
	for _, v := range values {
		c.weight += weigh(v, math.MaxInt)
		switch v := v.(type) {
		case nil:
			c.null = true
		case bool:
			c.yes, c.no = c.yes || v, c.no || !v
		case string:
			c.strings[v] = struct{}{}
		case json.Number:
			d, ok := parseDecimal([]byte(v))
			c.opaque = c.opaque || !ok
			if ok {
				c.numbers[d] = struct{}{}
			}
		default:
			c.deep = true
		}
	}
	return c
}

func (c *constants) number(d decimal) Verdict {
	if _, ok := c.numbers[d]; ok {
		return Yes
	}
	if c.opaque {
		return Maybe
	}
	return No
}
