package secret

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed rules.txt
var rulesText string

// table reads the rules that need no code. A fault in it is one of this program:
// the tests read it all.
func table(text string) []rule {
	var out []rule
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		out = append(out, parseRule(line))
	}
	return out
}

func parseRule(line string) rule {
	col := strings.Split(line, "\t")
	if len(col) != 6 {
		panic(fmt.Sprintf("secret: %d columns in %q", len(col), line))
	}
	kind, expr := col[0], col[3]
	ru := rule{class: col[1], literals: strings.Fields(col[2]), positive: col[4], negative: col[5]}
	switch kind {
	case "named":
		ru.named, ru.vendor, ru.fold, ru.free, ru.valid = true, true, true, true, random
		ru.expr = longest(`^(?:` + expr + `)`)
	case "token", "loose", "exact":
		quoted := make([]string, len(ru.literals))
		for i, lit := range ru.literals {
			quoted[i] = regexp.QuoteMeta(lit)
		}
		ru.exact, ru.free, ru.joins = kind == "exact", kind == "loose", kind == "token"
		if len(ru.literals[0]) < 12 {
			ru.valid = varied
		}
		ru.expr = lazy(`^(?:` + strings.Join(quoted, "|") + `)(?:` + expr + `)`)
	default:
		panic(fmt.Sprintf("secret: kind %q", kind))
	}
	return ru
}

// varied asks for more than a few bytes over and over.
func varied(s []byte) bool {
	least := 1.9
	if len(s) >= 28 {
		least = 2.5
	}
	return entropy(s) >= least
}

// lazy compiles an expression when it is first needed: most never are.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// longest is lazy for an expression of which the longest alternative counts.
func longest(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		re := regexp.MustCompile(expr)
		re.Longest()
		return re
	})
}
