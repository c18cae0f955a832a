package diff

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcp-gateway/protocol"
)

// Direction says whether a schema takes more than before, or less.
type Direction string

// The directions; "" is said of what is neither, or can't be told.
const (
	Wider    Direction = "wider"
	Narrower Direction = "narrower"
)

// direction compares the values of one keyword; nil stands for one that is not there.
func direction(keyword string, old, new []byte) Direction {
	switch keyword {
	case "type":
		return ofTypes(types(old), types(new))
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains":
		return ofNumbers(old, new)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains":
		return ofNumbers(new, old)
	case "additionalProperties", "unevaluatedProperties", "additionalItems":
		return ofSwitch(protocol.Kind(old) != 'f', protocol.Kind(new) != 'f')
	case "pattern", "const", "not", "format", "multipleOf", "dependentRequired":
		return ofSwitch(old == nil, new == nil)
	case "uniqueItems":
		return ofSwitch(protocol.Kind(old) != 't', protocol.Kind(new) != 't')
	default:
		return ""
	}
}

// ofNumbers compares upper bounds; none is the widest.
func ofNumbers(old, new []byte) Direction {
	switch {
	case old == nil:
		return Narrower
	case new == nil:
		return Wider
	}
	a, errA := strconv.ParseFloat(string(old), 64)
	b, errB := strconv.ParseFloat(string(new), 64)
	switch {
	case errA != nil || errB != nil || a == b:
		return ""
	case b > a:
		return Wider
	default:
		return Narrower
	}
}

func ofSwitch(was, is bool) Direction {
	switch {
	case was == is:
		return ""
	case is:
		return Wider
	default:
		return Narrower
	}
}

// types returns the types that a keyword allows; nil means any.
func types(raw []byte) []string {
	var all []string
	if text, ok := protocol.Text(raw); ok {
		all = []string{text}
	} else if protocol.Kind(raw) == '[' {
		for t := range protocol.Elements(raw) {
			text, _ := protocol.Text(t)
			all = append(all, text)
		}
	}
	if slices.Contains(all, "number") {
		all = append(all, "integer") // which every number schema takes too
	}
	return all
}

func ofTypes(old, new []string) Direction {
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(t string) bool { return !slices.Contains(b, t) })
	}
	switch {
	case old == nil:
		return Narrower
	case new == nil:
		return Wider
	case within(old, new) && within(new, old):
		return ""
	case within(old, new):
		return Wider
	case within(new, old):
		return Narrower
	default:
		return ""
	}
}

// cameOrWent is the direction of a schema that came or went as a whole: one more
// alternative is wider, one more condition narrower, one more argument neither.
func cameOrWent(path []string, came bool) Direction {
	if len(path) < 2 {
		return ""
	}
	above, last := path[len(path)-2], path[len(path)-1]
	switch {
	case above == "anyOf" || above == "oneOf":
		return ofSwitch(!came, came)
	case above == "allOf":
		return ofSwitch(came, !came)
	}
	switch last {
	case "items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "propertyNames", "not", "anyOf", "oneOf", "allOf":
		return ofSwitch(came, !came)
	default:
		return ""
	}
}

// ofSet is the direction of one element of a list of which the order means nothing:
// values that are taken, or else names that must be given. A list that is new holds to
// its values what took anything before.
func ofSet(values, fresh, gone bool, k Kind) Direction {
	switch {
	case values && fresh, !values && k == Added:
		return Narrower
	case values && gone, !values && k == Removed:
		return Wider
	case k == Added:
		return Wider
	case k == Removed:
		return Narrower
	default:
		return ""
	}
}

// units are the words by which a text says what a number counts.
func units(text string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if unit := unitOf(word); unit != "" && !slices.Contains(found, unit) {
			found = append(found, unit)
		}
	}
	slices.Sort(found)
	return found
}

func unitOf(word string) string {
	switch word {
	case "ms", "msec", "msecs", "millisecond", "milliseconds", "millis":
		return "ms"
	case "us", "usec", "micros", "microsecond", "microseconds":
		return "us"
	case "ns", "nanos", "nanosecond", "nanoseconds":
		return "ns"
	case "sec", "secs", "second", "seconds":
		return "s"
	case "min", "mins", "minute", "minutes":
		return "min"
	case "hour", "year", "years", "cent", "dollar", "euro", "gbp", "pence", "yen", "byte", "bits", "tb", "kib", "mib", "gib",
		"kelvin", "degrees", "radians", "cm", "mm", "inches", "lbs", "hours", "day", "days", "week", "weeks", "month", "months", "cents", "dollars", "eur", "usd", "euros",
		"bytes", "kb", "mb", "gb", "percent", "celsius", "fahrenheit", "meters", "metres", "feet", "miles", "km", "kilometers", "grams", "kg", "pounds":
		return strings.TrimSuffix(word, "s")
	default:
		return ""
	}
}

// inOtherUnits says whether two names are the same but for the units that they name.
func inOtherUnits(old, new string) bool {
	bare := func(name string) (string, []string) {
		var words, found []string
		for _, w := range humps(name) {
			if u := unitOf(w); u != "" {
				found = append(found, u)
			} else {
				words = append(words, w)
			}
		}
		return strings.Join(words, " "), found
	}
	a, was := bare(old)
	b, is := bare(new)
	return a == b && a != "" && !slices.Equal(was, is)
}

// humps cuts a name into lower-case words at separators and capitals.
func humps(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// unitChanged says whether both texts name units, and not the same ones.
func unitChanged(old, new []rune) bool {
	was, is := units(string(old)), units(string(new))
	return len(was) > 0 && len(is) > 0 && !slices.Equal(was, is)
}
