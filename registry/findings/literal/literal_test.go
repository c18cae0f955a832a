package literal

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func TestGate(t *testing.T) {
	for _, c := range []struct {
		name, expression string
		any              []string
	}{
		{"a word", `\bkeys?\b`, []string{"key"}},
		{"the rarer of two", `\b(a|an)\b.*\b(password|secret)\b`, []string{"password", "secret"}},
		{"either", `shadow|/etc/passwd`, []string{"shadow", "/etc/passwd"}},
		{"either or anything", `shadow|[0-9]+`, nil},
		{"some, at least once", `(word)+`, []string{"word"}},
		{"some, perhaps", `(word)*`, nil},
		{"so often", `(word){2,}`, []string{"word"}},
		{"in any case", `(?i)word`, nil},
		{"no expression", `(`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(c.expression).any; !slices.Equal(got, c.any) {
				t.Errorf("%q", got)
			}
		})
	}
}

// FuzzGate holds that a gate lets through whatever its expression matches: texts that
// are made to match, and any other.
func FuzzGate(f *testing.F) {
	f.Add(`\b(ignore|disregard)\b[^.]{0,9}\b(prior|all)\b( rules?)?|<(sys|inst)>`, "disregard all rules", uint64(1))
	f.Add(`(~|/home/[^/ ]+)/\.(ssh|aws)\b|\bid_(rsa|dsa)\b`, "id_rsa", uint64(2))
	f.Add(`x*y+z?(ab|a|b){1,3}`, "yab", uint64(3))
	f.Fuzz(func(t *testing.T, expression, text string, seed uint64) {
		re, err := regexp.Compile(expression)
		if err != nil || len(expression) > 200 {
			return
		}
		gate := Of(expression)
		parsed, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(seed, seed))
		for _, s := range []string{text, sample(parsed, random, 0), sample(parsed, random, 0)} {
			if re.MatchString(s) && !gate.Open(s) {
				t.Errorf("%q matches %q, which none of %q is in", s, expression, gate.any)
			}
		}
	})
}

// sample makes a text that matches, but for what stands around it.
func sample(re *syntax.Regexp, random *rand.Rand, depth int) string {
	least, most := 0, 2
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return ""
		}
		return string(re.Rune[2*random.IntN(len(re.Rune)/2)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return " "
	case syntax.OpAlternate:
		return sample(re.Sub[random.IntN(len(re.Sub))], random, depth+1)
	case syntax.OpPlus:
		least = 1
	case syntax.OpQuest:
		most = 1
	case syntax.OpRepeat:
		least, most = re.Min, max(re.Min, min(re.Max, re.Min+2))
	case syntax.OpConcat, syntax.OpCapture:
		least, most = 1, 1
	}
	var out strings.Builder
	for range least + random.IntN(most-least+1) {
		if out.Len() > 4096 || depth > 50 {
			break
		}
		for _, sub := range re.Sub {
			out.WriteString(sample(sub, random, depth+1))
		}
	}
	return out.String()
}
