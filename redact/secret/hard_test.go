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
