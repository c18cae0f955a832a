package shape

import (
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 2)
	for name, c := range map[string]struct {
		is        func(string) bool
		good, bad []string
	}{
		"word":     {Word, []string{"a", "scope_missing", "a.b-c9"}, []string{"", "A", "9a", "a b", strings.Repeat("a", 65)}},
		"ident":    {Ident, []string{"a__B.c-9"}, []string{"", "a b", "a/b", "ä", strings.Repeat("a", 129)}},
		"version":  {Version, []string{"v1.0.0+3f2a", "sha256:00"}, []string{"", "a b", "<v>"}},
		"label":    {Label, []string{"jürgen@example.com", "a b"}, []string{"", `a"b`, "a\nb", "\u202e", "\xff"}},
		"digest":   {Digest, []string{"sha256:" + hex + hex, "sha256-jcs1:" + hex + hex}, []string{"", "md5:" + hex, "sha256:" + hex, "sha256:" + strings.ToUpper(hex+hex)}},
		"keyed":    {Keyed, []string{"k1:" + hex, "k1:" + hex + hex}, []string{"", ":" + hex, "k1:" + hex[1:], "k 1:" + hex, hex}},
		"request":  {RequestRef, []string{"17", "-3", "k1:" + hex}, []string{"", "1.5", "-", strings.Repeat("9", 21)}},
		"revision": {Revision, []string{"2026-07-28"}, []string{"", "2026-7-28", "2026-07-2x", "20260728"}},
		"host":     {HostRef, []string{"run:1", "01JF", "a_b.c-d"}, []string{"", "a b", `{"to":"eve"}`, strings.Repeat("a", 65)}},
		"claimed":  {Claimed, []string{"1.4.2", "v2", "0.1.0-rc.1+x"}, []string{"", "v", "vx", "latest", "1.0 <b>", "1_0", strings.Repeat("1", 33)}},
		"fault":    {Fault, []string{"/to type", "/ required", "/a~1b/- $ref"}, []string{"", "/to", "to type", "/to ", "/a b c", `/"x" y`, "/ü type"}},
	} {
		for _, s := range c.good {
			if !c.is(s) {
				t.Errorf("%s: %q is not taken", name, s)
			}
		}
		for _, s := range c.bad {
			if c.is(s) {
				t.Errorf("%s: %q is taken", name, s)
			}
		}
	}
}
