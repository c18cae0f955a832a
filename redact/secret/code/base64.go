package code

import (
	"bytes"
	"encoding/base64"
	"iter"
	"strings"
	"unicode/utf8"

	"mcp-gateway/redact/skim"
)

// Run is where base64 stands in a text: its lines, each without what parts it from the
// next, and the last with its padding. Most have one.
type Run struct {
	Lines    []Line
	From, To int // of all of them
}

// Line is a part of a text.
type Line struct{ From, To int }

// longest is how much base64 is decoded at a time, and overlap how much of it again
// with what follows: no secret but a whole file is longer.
const (
	longest = 64 << 10
	overlap = 16 << 10
)

// maxLines is how many lines make one run.
const maxLines = 1 << 14

// Next returns the next run of base64 that is not one word of letters; From is -1 if
// there is none. Lines of one length, with a shorter one behind them, are one run.
func Next(s []byte, i int) Run {
	from, to := skim.Code(s, i)
	for from >= 0 && !bothCases(s[from:min(to, from+64)]) {
		from, to = skim.Code(s, to)
	}
	if from < 0 {
		return Run{From: -1, To: len(s)}
	}
	r := Run{From: from, Lines: []Line{{from, to}}}
	width := to - from
	for len(r.Lines) < maxLines && to-r.Lines[len(r.Lines)-1].From == width {
		begin := afterBreak(s, to)
		end := begin
		for end < len(s) && end-begin <= width && skim.IsCode(s[end]) {
			end++
		}
		if end == begin || end-begin > width || !ends(s, end) {
			break
		}
		r.Lines = append(r.Lines, Line{begin, end})
		to = end
	}
	for to < len(s) && s[to] == '=' {
		to++
	}
	r.To, r.Lines[len(r.Lines)-1].To = to, to
	return r
}

// ends says whether a line of base64 may end at i, and not merely a word.
func ends(s []byte, i int) bool {
	for i < len(s) && s[i] == '=' {
		i++
	}
	return i == len(s) || strings.IndexByte("\r\n\"'`<)]}", s[i]) >= 0
}

// afterBreak returns where the next line begins if one ends at i, else i; what may
// stand before it are blanks.
func afterBreak(s []byte, i int) int {
	j := i
	if j < len(s) && s[j] == '\r' {
		j++
	}
	if j == len(s) || s[j] != '\n' {
		return i
	}
	for j++; j < len(s) && (s[j] == ' ' || s[j] == '\t'); j++ {
	}
	return j
}

// bothCases tells base64 from a word or a number in hexadecimal.
func bothCases(s []byte) bool {
	upper, lower := false, false
	for _, c := range s {
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
	}
	return upper && lower
}

// Decoded yields what lines encode from their letter at skip on, in pieces that
// overlap. What stands before base64 may be of its letters too, such as the path of a
// URL: only one of four ways to read it is the right one.
func Decoded(s []byte, lines []Line, skip int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		all := s[lines[0].From:lines[0].To]
		if len(lines) > 1 {
			all = nil
			for _, l := range lines {
				all = append(all, s[l.From:l.To]...)
			}
		}
		all = bytes.TrimRight(all[min(skip, len(all)):], "=")
		enc := base64.RawStdEncoding
		if bytes.ContainsAny(all, "-_") {
			enc = base64.RawURLEncoding
		}
		for {
			part := all[:min(len(all), longest)]
			if len(part)%4 == 1 { // no length of base64: what was cut off ends within four
				part = part[:len(part)-1]
			}
			plain := make([]byte, enc.DecodedLen(len(part)))
			n, err := enc.Decode(plain, part)
			if err != nil || !yield(plain[:n]) || len(all) <= longest {
				return
			}
			all = all[longest-overlap:]
		}
	}
}

const far = 64

// Readable tells text, by how it begins or ends, from what merely has the letters of
// base64.
func Readable(s []byte) bool { return begins(s) || len(s) > far && begins(runes(s[len(s)-far:])) }

// runes is s from the beginning of a character on.
func runes(s []byte) []byte {
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

func begins(s []byte) bool {
	for i := 0; i < min(len(s), far); {
		r, n := utf8.DecodeRune(s[i:])
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return len(s) > 0
}
