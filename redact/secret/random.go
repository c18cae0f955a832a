package secret

import (
	"bytes"
	"math"
)

// placeholder tells what is plainly no secret: masks, references to a secret kept
// elsewhere, examples, and our own placeholders.
func placeholder(s []byte) bool {
	for _, prefix := range []string{"[redacted", "${", "{{", "%{", "<", "env:", "file:", "***"} {
		if bytes.HasPrefix(s, []byte(prefix)) {
			return true
		}
	}
	for _, part := range []string{"EXAMPLE", "xxxx", "XXXX", "****", "####", "..", "edacted"} {
		if bytes.Contains(s, []byte(part)) {
			return true
		}
	}
	return variety(s) < 2
}

// variety counts the different bytes of s.
func variety(s []byte) int {
	var seen [256]bool
	n := 0
	for _, c := range s {
		if !seen[c] {
			seen[c], n = true, n+1
		}
	}
	return n
}

// mixed asks for a letter and a digit, which words of prose do not have together.
func mixed(s []byte) bool {
	letter, digit := false, false
	for _, c := range s {
		letter = letter || c|0x20 >= 'a' && c|0x20 <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return letter && digit && s[0] != '$' && s[0] != '{' && s[0] != '%'
}

// random asks for a letter, a digit, and the entropy that names and versions lack:
// at least 3 bits a byte.
func random(s []byte) bool { return mixed(s) && entropy(s) >= 3 }

// entropy is that of s in bits a byte.
func entropy(s []byte) float64 {
	var count [256]int
	for _, c := range s {
		count[c]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// wordy tells names and versions: two words or more (wordsOf).
func wordy(s []byte) bool {
	n, words := wordsOf(s)
	return words && n > 1
}

// wordsOf counts the parts between - _ . and /, and reports whether each is a
// word, a number, or a word with a number behind it.
func wordsOf(s []byte) (n int, words bool) {
	parts := bytes.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' })
	for _, part := range parts {
		i := 0
		for i < len(part) && (part[i]|0x20 >= 'a' && part[i]|0x20 <= 'z') {
			i++
		}
		for i < len(part) && part[i] >= '0' && part[i] <= '9' {
			i++
		}
		if i < len(part) || len(part) > 16 {
			return len(parts), false
		}
	}
	return len(parts), true
}

// upperAndLower asks for letters of both cases and a digit.
func upperAndLower(s []byte) bool {
	upper, lower := false, false
	for _, c := range s {
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
	}
	return upper && lower && mixed(s)
}
