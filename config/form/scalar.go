package form

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// scalar is a scalar node's text as written, without quotes, and its kind.
type scalar struct {
	text string
	kind byte // 's' text, 'i' integer, 'f' other number, 'b' true or false
}

func scalarOf(n ast.Node) (scalar, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return scalar{n.Value, 's'}, true
	case *ast.LiteralNode:
		return scalar{n.Value.Value, 's'}, true
	case *ast.IntegerNode:
		return scalar{n.Token.Value, 'i'}, true
	case *ast.FloatNode:
		return scalar{n.Token.Value, 'f'}, true
	case *ast.InfinityNode, *ast.NanNode:
		return scalar{n.GetToken().Value, 'f'}, true
	case *ast.BoolNode:
		return scalar{n.Token.Value, 'b'}, true
	}
	return scalar{}, false
}

// Fault is why a scalar is refused: a problem's code and text. Hide keeps the
// scalar out of excerpts: it may be a secret.
type Fault struct {
	Code, Message string
	Hide          bool
}

// parsed is a scalar that a function turns into what it is bound to.
type parsed[T any] struct {
	dst    *T
	kinds  string // kinds of scalar that parse takes
	want   string // what is wanted, for wrong_type
	secret bool   // not shown where it is of a wrong type
	parse  func(string) (T, *Fault)
	shape  map[string]any
}

func (v parsed[T]) read(at Place) {
	s, ok := scalarOf(at.node)
	if !ok || !strings.ContainsRune(v.kinds, rune(s.kind)) {
		switch {
		case v.secret:
			at.Mask()
		case !ok:
			at.elide()
		}
		hint := ""
		if ok && v.kinds == "s" {
			hint = "; put it in quotes"
		}
		at.Report("wrong_type", "wants %s, found %s%s", v.want, kindOf(at.node), hint)
		return
	}
	value, fault := v.parse(s.text)
	if fault != nil {
		if fault.Hide {
			at.Mask()
		}
		at.Report(fault.Code, "%s", fault.Message)
		return
	}
	*v.dst = value
}

func (v parsed[T]) schema() map[string]any { return v.shape }

// Parsed is text that parse turns into a T. want names it in problems.
func Parsed[T any](dst *T, want string, parse func(string) (T, *Fault)) Value {
	return parsed[T]{dst: dst, kinds: "s", want: want, parse: parse, shape: map[string]any{"type": "string"}}
}

// Checked is Parsed with the pattern that parse holds the text against, for the
// schema.
func Checked[T any](dst *T, want string, pattern *regexp.Regexp, parse func(string) (T, *Fault)) Value {
	return parsed[T]{dst: dst, kinds: "s", want: want, parse: parse, shape: map[string]any{"type": "string", "pattern": pattern.String()}}
}

// Hidden is Parsed for secrets: what is no text at all is not shown, and parse
// says by Fault.Hide what else is not.
func Hidden[T any](dst *T, want string, parse func(string) (T, *Fault)) Value {
	return parsed[T]{dst: dst, kinds: "s", want: want, secret: true, parse: parse, shape: map[string]any{"type": "string"}}
}

// Text is text that is not blank.
func Text(dst *string) Value {
	return parsed[string]{dst: dst, kinds: "s", want: "text", shape: map[string]any{"type": "string", "minLength": 1},
		parse: func(s string) (string, *Fault) {
			if strings.TrimSpace(s) == "" {
				return "", &Fault{Code: "empty", Message: "wants text that is not blank"}
			}
			return s, nil
		}}
}

// Matching is text of a pattern; want names it in problems.
func Matching[T ~string](dst *T, pattern *regexp.Regexp, code, want string) Value {
	return parsed[T]{dst: dst, kinds: "s", want: want, shape: map[string]any{"type": "string", "pattern": pattern.String()},
		parse: func(s string) (T, *Fault) {
			if !pattern.MatchString(s) {
				return "", &Fault{Code: code, Message: fmt.Sprintf("`%s` is no %s", clip(s), want)}
			}
			return T(s), nil
		}}
}

// Word is one of the given words.
func Word[T ~string](dst *T, words ...T) Value {
	var names []string
	for _, w := range words {
		names = append(names, string(w))
	}
	return parsed[T]{dst: dst, kinds: "sb", want: "one of " + strings.Join(names, ", "), shape: map[string]any{"enum": names},
		parse: func(s string) (T, *Fault) {
			if i := slices.Index(words, T(s)); i >= 0 {
				return words[i], nil
			}
			return "", &Fault{Code: "unknown_value", Message: fmt.Sprintf("`%s` is not known here%s", clip(s), didYouMean(s, names))}
		}}
}

// Bool is true or false.
func Bool(dst *bool) Value {
	return parsed[bool]{dst: dst, kinds: "b", want: "true or false", shape: map[string]any{"type": "boolean"},
		parse: func(s string) (bool, *Fault) { return strings.EqualFold(s, "true"), nil }}
}

// YesNo is yes or no, and takes true and false for them. In YAML 1.2 the first
// two are text, so nothing else is read as either.
func YesNo(dst *bool) Value {
	return parsed[bool]{dst: dst, kinds: "sb", want: "yes or no",
		shape: map[string]any{"enum": []any{"yes", "no", true, false}},
		parse: func(s string) (bool, *Fault) {
			switch s {
			case "yes", "true", "no", "false":
				return s == "yes" || s == "true", nil
			}
			return false, &Fault{Code: "unknown_value", Message: fmt.Sprintf("`%s` is not known here; known: yes, no", clip(s))}
		}}
}

// No is YesNo the other way round, for facts of which absent means yes.
func No(dst *bool) Value {
	v := YesNo(dst).(parsed[bool])
	yes := v.parse
	v.parse = func(s string) (bool, *Fault) {
		b, fault := yes(s)
		return !b && fault == nil, fault
	}
	return v
}

// Int is a decimal integer from low to high.
func Int(dst *int, low, high int) Value {
	return parsed[int]{dst: dst, kinds: "i", want: "an integer",
		shape: map[string]any{"type": "integer", "minimum": low, "maximum": high},
		parse: func(s string) (int, *Fault) {
			n, err := strconv.Atoi(s)
			if err != nil || n < low || n > high {
				return 0, &Fault{Code: "out_of_range", Message: fmt.Sprintf("wants a number from %d to %d", low, high)}
			}
			return n, nil
		}}
}

// Version is the number of the format, which is the one that is read.
func Version(known int) Value {
	return parsed[int]{dst: new(int), kinds: "i", want: "the number of the format", shape: map[string]any{"const": known},
		parse: func(s string) (int, *Fault) {
			if s != strconv.Itoa(known) {
				return 0, &Fault{Code: "unknown_version", Message: fmt.Sprintf("version %s of this format is not known; known: %d", clip(s), known)}
			}
			return known, nil
		}}
}

// Duration is a duration such as 30s, 5m or 1h30m, from low to high.
func Duration(dst *time.Duration, low, high time.Duration) Value {
	return parsed[time.Duration]{dst: dst, kinds: "sif", want: "a duration such as 30s",
		shape: map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`},
		parse: func(s string) (time.Duration, *Fault) {
			d, err := time.ParseDuration(s)
			if err != nil {
				return 0, &Fault{Code: "bad_duration", Message: fmt.Sprintf("`%s` is no duration; write a number and a unit, such as 30s or 5m", clip(s))}
			}
			if d < low || d > high {
				return 0, &Fault{Code: "out_of_range", Message: fmt.Sprintf("wants a duration from %s to %s", low, high)}
			}
			return d, nil
		}}
}

// Age is a time of whole hours or days such as 36h or 90d, from low to high.
func Age(dst *time.Duration, low, high time.Duration) Value {
	return parsed[time.Duration]{dst: dst, kinds: "s", want: "an age such as 90d",
		shape: map[string]any{"type": "string", "pattern": `^[1-9][0-9]{0,5}[hd]$`},
		parse: func(s string) (time.Duration, *Fault) {
			number, unit := s, time.Duration(0)
			if rest, ok := strings.CutSuffix(s, "h"); ok {
				number, unit = rest, time.Hour
			} else if rest, ok := strings.CutSuffix(s, "d"); ok {
				number, unit = rest, 24*time.Hour
			}
			n, err := strconv.ParseUint(number, 10, 20)
			if unit == 0 || err != nil || n == 0 {
				return 0, &Fault{Code: "bad_age", Message: fmt.Sprintf("`%s` is no age; write hours or days, such as 36h or 90d", clip(s))}
			}
			if d := time.Duration(n) * unit; d >= low && d <= high {
				return d, nil
			}
			return 0, &Fault{Code: "out_of_range", Message: fmt.Sprintf("wants an age from %s to %s", low, high)}
		}}
}

// Size is a number of bytes such as 512KiB or 4MiB, from 1 to high.
func Size(dst *int, high int) Value {
	return parsed[int]{dst: dst, kinds: "sif", want: "a size such as 4MiB",
		shape: map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9]+(B|KiB|MiB|GiB)$`},
		parse: func(s string) (int, *Fault) {
			n, ok := parseSize(s)
			if !ok {
				return 0, &Fault{Code: "bad_size", Message: fmt.Sprintf("`%s` is no size; write bytes, or a number with KiB, MiB or GiB", clip(s))}
			}
			if n < 1 || n > high {
				return 0, &Fault{Code: "out_of_range", Message: fmt.Sprintf("wants 1 to %d bytes", high)}
			}
			return n, nil
		}}
}

func parseSize(s string) (int, bool) {
	shift := 0
	for i, unit := range [...]string{"KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s, shift = rest, 10*(i+1)
			break
		}
	}
	if shift == 0 {
		s = strings.TrimSuffix(s, "B")
	}
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n) << shift, err == nil
}
