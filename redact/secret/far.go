package secret

import "bytes"

// far remembers where runs of a text end that literals stand in, so that each is passed
// over once, however many literals these are. The zero value remembers nothing.
type far struct {
	blank, code run
	tried       int // where the run ends whose tokens were tried last
	tries       int // how many
	steps       int // bytes that were passed over
}

// run is a part of a text.
type run struct{ from, to int }

// end returns where the text ends that goes on at i up to a blank or a quote.
func (f *far) end(s []byte, i int) int {
	return f.over(&f.blank, s, i, func(c byte) bool { return c > ' ' && c != '"' && c != '\'' })
}

// codeEnd returns where letters, digits, - and _ end that go on at i.
func (f *far) codeEnd(s []byte, i int) int {
	return f.over(&f.code, s, i, func(c byte) bool { return word(c) || c == '-' })
}

func (f *far) over(r *run, s []byte, i int, in func(byte) bool) int {
	if i >= r.from && i < r.to {
		return r.to
	}
	to := i
	for to < len(s) && in(s[to]) {
		to++
	}
	*r = run{i, to}
	f.steps += to - i
	return to
}

const (
	jwtWindow = 8 << 10
	jwtPart   = 10 // characters of a part, at least, and behind its beginning
	jwtTries  = 4  // of tokens that have one end, and are none for another reason
)

// jwt says whether a token of two parts may begin at i, before an expression reads
// all of its window. many says that so many were tried before one end that no more are:
// what begins there is taken for a token.
func (f *far) jwt(s []byte, i int) (may, many bool) {
	end := f.codeEnd(s, i)
	dot := end
	for dot < len(s) && dot < end+2 && s[dot] == '=' {
		dot++
	}
	const next = ".eyJ"
	if dot+len(next)+jwtPart > min(len(s), i+jwtWindow) || !bytes.HasPrefix(s[dot:], []byte(next)) {
		return false, false
	}
	for _, c := range s[dot+len(next):][:jwtPart] {
		if !word(c) && c != '-' && c != '/' && c != '\\' {
			return false, false
		}
	}
	if f.tried != end {
		f.tried, f.tries = end, 0
	}
	f.tries++
	return true, f.tries > jwtTries
}
