package secret

import "bytes"

// Options turn on what is not looked for by default.
type Options struct {
	Email bool // addresses of e-mail
	Phone bool // telephone numbers in the international form, +49 30 1234567 (E.164)
}

// The classes of Options.
const (
	classEmail = "email"
	classPhone = "phone"
)

// person finds the next span of a person's data at or after i.
func (sc *Scanner) person(s []byte, i int) (from, to int, class string) {
	from = -1
	if sc.opt.Email {
		if f, t, ok := email(s, i); ok {
			from, to, class = f, t, classEmail
		}
	}
	if sc.opt.Phone {
		if f, t, ok := phone(s, i); ok && (from < 0 || f < from) {
			from, to, class = f, t, classPhone
		}
	}
	return from, to, class
}

// email finds local@domain (RFC 5321, in its common part): a domain of two labels
// or more, the last of letters.
func email(s []byte, i int) (from, to int, ok bool) {
	for {
		at := bytes.IndexByte(s[i:], '@')
		if at < 0 {
			return 0, 0, false
		}
		at += i
		from, to = at, at+1
		for from > i && (word(s[from-1]) || bytes.IndexByte([]byte(".+-%"), s[from-1]) >= 0) {
			from--
		}
		dot := -1
		for to < len(s) && (word(s[to]) && s[to] != '_' || s[to] == '-' || s[to] == '.') {
			if s[to] == '.' {
				dot = to
			}
			to++
		}
		if dot == to-1 && dot >= 0 { // the end of a sentence
			to = dot
			dot = bytes.LastIndexByte(s[:to], '.')
		}
		if from < at && at-from <= 64 && dot > at+1 && to-dot > 2 && letters(s[dot+1:to]) {
			return from, to, true
		}
		i = at + 1
	}
}

func letters(s []byte) bool {
	for _, c := range s {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// phone finds + and 8 to 15 digits, in groups or not.
func phone(s []byte, i int) (from, to int, ok bool) {
	for {
		plus := bytes.IndexByte(s[i:], '+')
		if plus < 0 {
			return 0, 0, false
		}
		from = i + plus
		digits, j := 0, from+1
		for to = j; j < len(s) && digits < 16; j++ {
			c := s[j]
			if c >= '0' && c <= '9' {
				digits, to = digits+1, j+1
			} else if bytes.IndexByte([]byte(" -()./"), c) < 0 || j-to > 1 {
				break
			}
		}
		if digits >= 8 && digits <= 15 && s[from+1] != '0' && (from == 0 || !word(s[from-1])) && (to == len(s) || !word(s[to])) {
			return from, to, true
		}
		i = from + 1
	}
}
