package secret

import (
	"bytes"

	"mcp-gateway/redact/secret/code"
)

// What is encoded is looked at too: what a reader decodes is a secret as much as one in
// the clear.

// steps is how often what was decoded is decoded again.
const steps = 2

// mayEncode reports whether s holds an escape, a run of base64, or text of two bytes a
// character.
func mayEncode(s []byte) bool {
	return code.NextEscape(s, 0) >= 0 || code.HasWide(s) || code.Next(s, 0).From >= 0
}

// encoded returns the secrets that show when s is decoded, in order. A secret in
// base64 takes the whole run with it. again is how many steps may follow.
func (sc *Scanner) encoded(s []byte, again int) []Span {
	var out []Span
	for at := code.NextEscape(s, 0); at >= 0; {
		from, to := line(s, at)
		for _, sp := range sc.escaped(s[from:to], again) {
			out = append(out, Span{from + sp.From, from + sp.To, sp.Class, 0})
		}
		at = code.NextEscape(s, to)
	}
	var runs []Span
	for r := code.Next(s, 0); r.From >= 0; r = code.Next(s, r.To) {
		if class, ok := sc.inBase64(s, r.Lines, again); ok {
			runs = append(runs, Span{r.From, r.To, class, 0})
			continue
		}
		for i := 0; len(r.Lines) > 1 && i < len(r.Lines); i++ { // they only have one length
			if class, ok := sc.inBase64(s, r.Lines[i:i+1], again); ok {
				runs = append(runs, Span{r.Lines[i].From, r.Lines[i].To, class, 0})
			}
		}
	}
	out = merged(out, runs)
	if !code.HasWide(s) {
		return out
	}
	var wide []Span
	for w := code.NextWide(s, 0); w.From >= 0; w = code.NextWide(s, w.To) {
		unit := lowFirst
		if w.High {
			unit = highFirst
		}
		for _, sp := range sc.within(w.Narrow, again) {
			to := min(w.From+2*sp.To, w.To) // of the last character the zero may be missing
			wide = append(wide, Span{w.From + 2*sp.From, to, sp.Class, unit})
		}
	}
	return merged(out, wide)
}

// within returns the secrets of what was decoded, and those of what that encodes.
func (sc *Scanner) within(plain []byte, again int) []Span {
	var out []Span
	var on far
	for i := 0; ; {
		sp, ok := sc.next(plain, i, &on)
		if !ok {
			break
		}
		i = sp.To
		out = append(out, sp)
	}
	if again > 0 && mayEncode(plain) {
		out = merged(out, sc.encoded(plain, again-1))
	}
	return out
}

// line returns the bounds of the line that i is in.
func line(s []byte, i int) (from, to int) {
	from, to = bytes.LastIndexByte(s[:i], '\n')+1, len(s)
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		to = i + n
	}
	return from, to
}

// merged returns the spans of both in order, each being in order, but for those of more
// that overlap one of spans.
func merged(spans, more []Span) []Span {
	if len(spans) == 0 || len(more) == 0 {
		return append(spans, more...)
	}
	out := make([]Span, 0, len(spans)+len(more))
	for _, sp := range more {
		for len(spans) > 0 && spans[0].To <= sp.From {
			out, spans = append(out, spans[0]), spans[1:]
		}
		if len(spans) == 0 || sp.To <= spans[0].From {
			out = append(out, sp)
		}
	}
	return append(out, spans...)
}

// escaped finds secrets in s with its escapes decoded.
func (sc *Scanner) escaped(s []byte, again int) []Span {
	plain, at := code.Unescaped(s)
	out := sc.within(plain, again)
	for i, sp := range out {
		out[i].From, out[i].To = at[sp.From], at[sp.To]
	}
	return out
}

// inBase64 returns the class of a secret that lines of base64 encode. What was decoded
// before is taken to begin where it does: else each step would be four.
func (sc *Scanner) inBase64(s []byte, lines []code.Line, again int) (string, bool) {
	ways := 1
	if again == steps {
		ways = 4
	}
	for skip := range ways {
		for plain := range code.Decoded(s, lines, skip) {
			left := again
			if !code.Readable(plain) && !code.HasWide(plain) {
				left = 0
			}
			if found := sc.within(plain, left); len(found) > 0 {
				return found[0].Class, true
			}
		}
	}
	return "", false
}

// wanted reports whether s may hold what the options ask for.
func (o Options) wanted(s []byte) bool {
	return o.Email && bytes.IndexByte(s, '@') >= 0 || o.Phone && bytes.IndexByte(s, '+') >= 0
}
