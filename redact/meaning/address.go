package meaning

import (
	"bytes"
	"strings"
)

// fetched reports whether a reader of Markdown, HTML or CSS fetches or follows an
// address in s: the target of a link or an image, an attribute of whatever element, or
// what url() and @import name.
func fetched(s []byte) bool {
	if !bytes.Contains(s, []byte("//")) && !bytes.Contains(s, []byte(`\\`)) && !bytes.Contains(s, []byte(":/")) && !bytes.Contains(s, []byte(`/\`)) {
		return false
	}
	return after(s, ']', target) || after(s, '<', attribute) || after(s, '@', imported) || calls(s)
}

// after reports whether so holds for what stands behind one of the bytes c.
func after(s []byte, c byte, so func([]byte) bool) bool {
	for {
		i := bytes.IndexByte(s, c)
		if i < 0 {
			return false
		}
		if s = s[i+1:]; so(s) {
			return true
		}
	}
}

// target tells (address) and : address behind a bracket.
func target(s []byte) bool {
	return len(s) > 0 && (s[0] == '(' || s[0] == ':') && opens(unquoted(s[1:]))
}

// attribute tells, behind <, an element that has an address as a value.
func attribute(s []byte) bool {
	if len(s) == 0 || !isLetter(s[0]) {
		return false
	}
	s = s[:min(len(s), window)]
	if end := bytes.IndexAny(s, "<>"); end >= 0 {
		s = s[:end]
	}
	return after(s, '=', func(value []byte) bool { return opens(unquoted(value)) })
}

func imported(s []byte) bool {
	const word = "import"
	return len(s) > len(word) && bytes.EqualFold(s[:len(word)], []byte(word)) && opens(unquoted(s[len(word):]))
}

// calls tells url(address).
func calls(s []byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(s[i:], '(')
		if n < 0 {
			return false
		}
		i += n
		if i >= 3 && bytes.EqualFold(s[i-3:i], []byte("url")) && opens(unquoted(s[i+1:])) {
			return true
		}
	}
}

// longestQuote is how much may stand between a mark and the address that it names.
const longestQuote = 16

// unquoted returns s behind white space, quotes, and the escapes of both.
func unquoted(s []byte) []byte {
	for n := 0; n < longestQuote && len(s) > 0; n++ {
		switch {
		case strings.IndexByte(" \t\r\n\"'<", s[0]) >= 0:
			s = s[1:]
		case s[0] == '\\' && len(s) > 1 && strings.IndexByte(`nrt"`, s[1]) >= 0:
			s = s[2:]
		default:
			return s
		}
	}
	return s
}

// opens reports whether s begins with an address that names a host.
func opens(s []byte) bool {
	n := 0
	for n < len(s) && n < longestScheme && isScheme(s[n]) {
		n++
	}
	if n > 1 && n < len(s) && s[n] == ':' {
		run := s[n+1 : slashes(s, n+1)]
		return bytes.HasPrefix(run, []byte("//")) || isSpecial(s[:n]) && (len(run) > 1 || bytes.IndexByte(run, '/') >= 0)
	}
	end := slashes(s, 0)
	return end >= 2 && isHost(s[end:hostEnd(s, end)])
}

// longestScheme is far longer than any that is registered.
const longestScheme = 32

// slashes returns the end of the slashes at i, either way up, as browsers take them.
func slashes(s []byte, i int) int {
	for i < len(s) && isSlash(s[i]) {
		i++
	}
	return i
}

// hostEnd returns the end of the host that begins at i.
func hostEnd(s []byte, i int) int {
	for i < len(s) && s[i] > ' ' && strings.IndexByte("/\\?#\"'<>()]:&;,`|", s[i]) < 0 {
		i++
	}
	return i
}

// isHost tells a name with a dot in it, or a number as it is of addresses.
func isHost(name []byte) bool {
	dot := bytes.IndexByte(name, '.')
	return dot > 0 && dot+1 < len(name) && isWord(name[0]) && isWord(name[dot+1])
}

// isSpecial tells the schemes of which browsers read https:/a.example and the like as
// https://a.example (WHATWG URL, special schemes).
func isSpecial(scheme []byte) bool {
	switch string(bytes.ToLower(scheme)) {
	case "http", "https", "ftp", "ws", "wss":
		return true
	}
	return false
}

func isSlash(c byte) bool  { return c == '/' || c == '\\' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWord(c byte) bool   { return isLetter(c) || c >= '0' && c <= '9' || c >= 0x80 }

// isScheme tells what a scheme is made of (RFC 3986, 3.1).
func isScheme(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// isName tells what goes on before an address: it is a part of a longer name then.
func isName(c byte) bool { return isWord(c) || isSlash(c) || strings.IndexByte("._-", c) >= 0 }
