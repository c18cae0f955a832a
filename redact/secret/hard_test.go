package secret

import (
	"strings"
	"testing"
)

// Whatever a rule begins with, over and over: what goes on beyond windows is passed over
// once and not for each of them.
func TestALiteralOverAndOverIsPassedOverOnce(t *testing.T) {
	sc := New(Options{})
	const size = 4000
	for _, ru := range sc.rules {
		for _, key := range append([]string{expand(ru.positive)}, ru.keys()...) {
			for _, tail := range []string{"", "=", "a1"} {
				s := []byte(strings.Repeat(key+tail, size/len(key+tail)+1))
				var on far
				for sp, ok := sc.next(s, 0, &on); ok; sp, ok = sc.next(s, sp.To, &on) {
				}
				if on.steps > 2*len(s) {
					t.Errorf("%s: %.40q over and over: %d steps over %d bytes", ru.class, key+tail, on.steps, len(s))
				}
			}
		}
	}
}

// A token within a longer run of letters is found still, though few of those that have
// one end are tried.
func TestTokenBehindWhatBeginsLikeOne(t *testing.T) {
	in := "eyJ.eyJeyJ" + expand("eyJ{a20}.eyJ{a40}.{n43}")
	if got := textOf(in); strings.Contains(got, expand("{a40}")) {
		t.Errorf("%q stays", got)
	}
}

// A token behind many that are none and have one end with it is not passed on.
func TestTokenBehindDecoys(t *testing.T) {
	token := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	for _, decoys := range []int{0, 1, 4, 5, 40} {
		text := []byte(strings.Repeat("eyJxxxxxxxxxxxx-", decoys) + token + " and more")
		out, _ := New(Options{}).Mask(nil, text, func(string) {})
		if strings.Contains(string(out), "eyJzdWIi") || !strings.HasSuffix(string(out), " and more") {
			t.Errorf("%d decoys: %s", decoys, out)
		}
	}
}
