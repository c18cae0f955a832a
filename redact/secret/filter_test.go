package secret

import (
	"strings"
	"testing"
)

// Skimming passes over no place where a rule's literal may stand.
func TestFilterFindsWhatALookAtEachPlaceFinds(t *testing.T) {
	set := compiled()
	var text strings.Builder
	for _, ru := range set.rules {
		for _, lit := range ru.literals {
			text.WriteString("x " + lit + "1" + strings.ToUpper(lit) + ".q" + lit)
		}
	}
	text.WriteString(" 4111 1111 DE89 3704 SKa0 123:A 12|x 12q~ " + strings.Repeat("password", 9))
	s := []byte(text.String())
	may := func(i int) bool {
		for _, n := range set.filter.at(s, i) {
			if ru := &set.rules[n]; ru.begins != nil || ru.literalAt(s[i:]) > 0 {
				return true
			}
		}
		return false
	}
	for i, want := 0, 0; want < len(s); i = want + 1 {
		for want = i; want < len(s) && !may(want); want++ {
		}
		got, rules := set.filter.next(s, i)
		for got >= 0 && got < want { // only the first four bytes of a literal
			got, rules = set.filter.next(s, got+1)
		}
		if want < len(s) && (got != want || len(rules) == 0) {
			t.Fatalf("from %d: %d with %d rules, want %d, at %q", i, got, len(rules), want, s[want:min(len(s), want+12)])
		}
	}
}
