package scalar

import "encoding/json"

// A value's weight is what comparing it with its like costs the library, in eighths
// of a step: next to nothing for most, and a fraction of big numbers for each number,
// however short it is.
const (
	step  = 8
	heavy = 2 * step // a number, whose lexeme adds to it
)

// Work is the price of judging a decoded value by the rule, in steps, but for its
// pattern: enum and const are gone through one by one, and numbers made anew for each.
func (r *Rule) Work(v any) int {
	n := 0
	for _, c := range r.allowed {
		n += c.work(v)
	}
	number, ok := v.(json.Number)
	if ok && (r.kinds&Integer != 0 || r.bounds != nil || r.multiple != 0 || r.opaqueNumber) {
		n += 2 * weighNumber(number) / step
	}
	return n
}

func (c *constants) work(v any) int {
	switch v := v.(type) {
	case json.Number:
		return (c.weight + c.values*weighNumber(v)) / step
	case []any, map[string]any:
		return c.weight / step
	}
	return c.values / step
}

// Distinct is the price of telling whether the items differ, in steps: up to 20 are
// compared each with each, more are hashed. It is no more exact than it must be beyond most.
func Distinct(items []any, most int) int {
	const eachWithEach = 20
	n := len(items)
	if n <= eachWithEach {
		return weighAll(items, most) * n / 2 / step
	}
	return weighAll(items, most*step) / step
}

func weighAll(items []any, most int) int {
	n := 0
	for _, e := range items {
		if n += weigh(e, most-n); n > most {
			break
		}
	}
	return n
}

// weigh returns the weight of a value, or any number above most.
func weigh(v any, most int) int {
	n := 1
	switch v := v.(type) {
	case string:
		n += len(v) / 64
	case json.Number:
		return weighNumber(v)
	case []any:
		n += step + weighAll(v, most-1)
	case map[string]any:
		n += step
		for name, e := range v {
			if n += 4 + len(name)/64 + weigh(e, most-n); n > most {
				break
			}
		}
	}
	return n
}

// weighNumber: an exponent makes as many digits as it says, 1,000 at most.
func weighNumber(v json.Number) int {
	exponent, after := 0, false
	for _, c := range v {
		switch {
		case c == 'e' || c == 'E':
			after = true
		case after && c >= '0' && c <= '9':
			exponent = min(10*exponent+int(c-'0'), 1000)
		}
	}
	return heavy + len(v)/4 + exponent/5
}
