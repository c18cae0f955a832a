package literal

import (
	"regexp/syntax"
	"strings"
)

// Gate lets through every text that its expression may match, and of the others few.
// The zero value lets all through.
type Gate struct{ any []string }

// Of makes the gate of an expression as package regexp takes it. One from which nothing
// can be told lets all through.
func Of(expression string) Gate {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return Gate{}
	}
	return Gate{needed(re.Simplify())}
}

// Open says whether the expression may match a text; false: it does not.
func (g Gate) Open(text string) bool {
	for _, l := range g.any {
		if strings.Contains(text, l) {
			return true
		}
	}
	return len(g.any) == 0
}

// needed returns literals one of which stands in whatever matches; none where nothing
// is known.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := needed(sub)
			if len(some) == 0 {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if some := needed(sub); rarer(some, best) {
				best = some
			}
		}
		return best
	}
	return nil
}

// rarer says whether fewer texts hold one of a than one of b: its shortest is longer,
// or it has fewer.
func rarer(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	x, y := shortest(a), shortest(b)
	return x > y || x == y && len(a) < len(b)
}

func shortest(all []string) int {
	n := len(all[0])
	for _, s := range all[1:] {
		n = min(n, len(s))
	}
	return n
}
