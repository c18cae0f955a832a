package skim_test

import (
	"bytes"
	"strings"
	"testing"

	"mcp-gateway/redact/skim"
)

// keys of a table, with what stands for any byte as an empty place.
func table() (*skim.Table, [][skim.Width]string) {
	keys := [][skim.Width]string{
		{"g", "h", "p", "_"}, {"e", "y", "j", ""}, {":", "/", "/", ""}, {"d", "e", "0123456789", "0123456789"}, {"w", "o", "r", "d"},
	}
	t := new(skim.Table)
	for n, key := range keys {
		var places [skim.Width][]byte
		for i, place := range key {
			places[i] = []byte(place)
		}
		t.Add(places, n)
	}
	return t, keys
}

// mayBegin returns which keys stand at i, looked at one by one.
func mayBegin(keys [][skim.Width]string, s []byte, i int) (back uint16) {
	for n, key := range keys {
		all := i+skim.Width <= len(s)
		for at := 0; all && at < skim.Width; at++ {
			all = key[at] == "" || strings.IndexByte(key[at], lower(s[i+at])) >= 0
		}
		if all {
			back |= 1 << n
		}
	}
	return back
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// holds checks that no key is passed over, wherever the search begins.
func holds(t *testing.T, tab *skim.Table, keys [][skim.Width]string, s []byte) {
	t.Helper()
	for from := range min(len(s), 3) {
		next := from
		for at, back := tab.Next(s, from); ; at, back = tab.Next(s, at+1) {
			for ; next < at; next++ {
				if mayBegin(keys, s, next) != 0 {
					t.Fatalf("%q from %d: the key at %d is passed over", s, from, next)
				}
			}
			if at >= len(s) {
				break
			}
			if want := mayBegin(keys, s, at); back&want != want {
				t.Fatalf("%q: at %d %b, want %b among it", s, at, back, want)
			}
			next = at + 1
		}
	}
}

func TestNextPassesOverNoKey(t *testing.T) {
	tab, keys := table()
	for _, key := range []string{"ghp_", "GHP_", "eyJh", "://x", "DE89", "Word"} {
		for before := range 40 {
			for after := range 20 {
				holds(t, tab, keys, []byte(strings.Repeat(".", before)+key+strings.Repeat("e", after)))
			}
		}
	}
	for _, s := range []string{"", "g", "ghp", "ghp_", "ghp_ghp_ghp_", "password://eyJ.de12", strings.Repeat("de11", 30)} {
		holds(t, tab, keys, []byte(s))
	}
}

func TestNextPassesByMostOfATextWithoutKeys(t *testing.T) {
	tab, _ := table()
	text := bytes.Repeat([]byte("The service answered within its budget; four of five checks passed. "), 1000)
	looked := 0
	for at, _ := tab.Next(text, 0); at < len(text); at, _ = tab.Next(text, at+1) {
		looked++
	}
	if looked > len(text)/100 {
		t.Errorf("%d places of %d are looked at closely", looked, len(text))
	}
}

func TestRarest(t *testing.T) {
	for literal, want := range map[string]string{"password": "sswo", "ghp_": "ghp_", "eyJ": "eyJ", "": ""} {
		at := skim.Rarest(literal)
		if got := literal[at:min(len(literal), at+skim.Width)]; got != want {
			t.Errorf("%q: %q, want %q", literal, got, want)
		}
	}
}

// runs finds runs of base64 byte by byte.
func runs(s []byte, i int) (from, to int) {
	code := func(c byte) bool {
		return strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", c) >= 0
	}
	for from = i; from < len(s); from = to + 1 {
		for to = from; to < len(s) && code(s[to]); to++ {
		}
		if to-from >= skim.ShortestCode {
			return from, to
		}
	}
	return -1, len(s)
}

func sameRuns(t *testing.T, s []byte) {
	t.Helper()
	for i := range min(len(s), 20) {
		from, to := skim.Code(s, i)
		if f, u := runs(s, i); f != from || u != to {
			t.Fatalf("%q from %d: %d..%d, want %d..%d", s, i, from, to, f, u)
		}
	}
}

func TestCode(t *testing.T) {
	for before := range 40 {
		for length := 20; length < 60; length++ {
			s := strings.Repeat("a word ", 6)[:before] + "." + strings.Repeat("aB3-", 15)[:length]
			sameRuns(t, []byte(s))
			sameRuns(t, []byte(s+"= and "+s+"\xff"+s))
		}
	}
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"", "ghp_0123 eyJ.eyJ password de12", strings.Repeat("Zm9v", 20) + "\x80" + strings.Repeat("Zm9v", 9)} {
		f.Add([]byte(s))
	}
	tab, keys := table()
	f.Fuzz(func(t *testing.T, s []byte) {
		holds(t, tab, keys, s)
		sameRuns(t, s)
	})
}

func BenchmarkNext(b *testing.B) {
	tab, _ := table()
	text := bytes.Repeat([]byte("The service answered within its budget; four of five checks passed. "), 1500)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tab.Next(text, 0)
	}
}
