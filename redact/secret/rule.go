package secret

import (
	"bytes"
	"regexp"
)

// rule is one kind of secret. A literal stands where it begins, or stands back
// bytes after that.
type rule struct {
	class    string
	literals []string
	fold     bool     // literals in any case, written in lower case
	begins   []string // what the filter looks for, where that is not the literals
	named    bool     // the literal is part of a name: the secret is the value assigned to it
	about    bool     // names that are about a secret, such as password_length, are passed over
	vendor   bool     // the literal is a name: not in the middle of another word
	exact    bool     // not in a path or a run of base64
	free     bool     // the literal may follow a letter or digit
	joins    bool     // it may where the literal and what follows it are of no word (glued)
	back     int      // bytes of the secret before the literal
	window   int      // bytes that the rule may see from where it begins; 0 = 512

	// expr must match there, in full rules from the beginning, in named ones the
	// value. Its first group is the secret, or all of it. It is compiled when it is
	// first needed.
	expr func() *regexp.Regexp
	// needs is asked before the expression, which costs more, of what begins with the
	// literal: whether it can match at all. nil = it may.
	needs func(s []byte) bool
	jwt   bool // on.jwt is asked too: its runs are longer than is worth to read for each literal
	// find does without an expression: where the secret stands in s, which begins
	// at place i of the text.
	find func(s []byte, i int) (from, to int, ok bool)

	valid    func(secret []byte) bool // nil = always
	positive string                   // holds a secret; a test runs it
	negative string                   // looks like one; a test runs it
}

const usualWindow = 512

func (ru *rule) keys() []string {
	if ru.begins != nil {
		return ru.begins
	}
	return ru.literals
}

// literalAt returns the length of the rule's literal that s begins with; 0 if
// none.
func (ru *rule) literalAt(s []byte) int {
	longest := 0
	for _, lit := range ru.literals {
		if len(lit) > longest && len(s) >= len(lit) && equal(s[:len(lit)], lit, ru.fold) {
			longest = len(lit)
		}
	}
	return longest
}

func equal(s []byte, lit string, fold bool) bool {
	for i := range len(lit) {
		c := s[i]
		if fold && c >= 'A' && c <= 'Z' {
			c += 0x20
		}
		if c != lit[i] {
			return false
		}
	}
	return true
}

// at looks for the secret of the rule whose literal may stand at place i. No more than
// the rule's window is looked at, wherever the secret ends: what goes on behind it is
// passed over once for all rules and places (far).
func (ru *rule) at(s []byte, i int, on *far) (from, to int, ok bool) {
	start := i - ru.back
	if start < 0 {
		return 0, 0, false
	}
	inside := ru.inWord(s, start)
	if inside && !ru.joins {
		return 0, 0, false
	}
	length := 0
	if ru.literals != nil {
		if length = ru.literalAt(s[i:]); length == 0 {
			return 0, 0, false
		}
	}
	if ru.jwt {
		if may, many := on.jwt(s, i); !may {
			return 0, 0, false
		} else if many {
			return start, on.end(s, i), true
		}
	}
	cut := false // the window cut it short
	switch {
	case ru.find != nil:
		from, to, ok = ru.find(s, i)
	case ru.exact && start > 0 && bytes.IndexByte([]byte("+/."), s[start-1]) >= 0:
	case ru.vendor && !nameAt(s, i, length):
	case ru.needs != nil && !ru.needs(s[i:]):
	case ru.named:
		from, to, cut, ok = ru.value(s, i+length)
	default:
		from, to, cut, ok = ru.match(s, start)
	}
	if !ok || ru.valid != nil && !ru.valid(s[from:to]) || placeholder(s[from:to]) || ru.about && about(s, i, i+length) {
		return 0, 0, false
	}
	if inside && !glued(s[start-1], s[i:i+length], s[max(from, i+length):to]) {
		return 0, 0, false
	}
	if cut {
		to = on.end(s, to)
	}
	if to < len(s) && (s[to] == '#' || s[to] == '*') { // it is masked already
		return 0, 0, false
	}
	return from, to, true
}

// inWord reports whether what begins at start goes on with a word that the rule
// must not stand in. An underscore ends one, as in export_ghp_….
func (ru *rule) inWord(s []byte, start int) bool {
	if ru.free || start == 0 || !word(s[start]) {
		return false
	}
	return word(s[start-1]) && (ru.exact || s[start-1] != '_')
}

// glued tells a token that stands right behind a letter or digit, such as
// myTokenghp_…, from a longer name such as task_test_run2. The literal has a
// symbol that no word has, and what follows it is no row of words.
func glued(before byte, literal, body []byte) bool {
	if len(literal) < 3 || len(literal) == 3 && upper(rune(literal[0])) || !bytes.ContainsAny(literal, "_-.") {
		return false
	}
	if literal[1] == 'k' && (literal[0] == 's' || literal[0] == 'r') && bytes.IndexByte([]byte("aeiouAEIOU"), before) >= 0 {
		return false // task, disk, network
	}
	_, words := wordsOf(body)
	return len(body) > 0 && mixed(body) && !words
}

// match applies the expression at start. What goes on after the match like the
// token itself belongs to it; cut says that it does beyond the window.
func (ru *rule) match(s []byte, start int) (from, to int, cut, ok bool) {
	window := ru.window
	if window == 0 {
		window = usualWindow
	}
	end := min(len(s), start+window)
	from, to, ok = group(ru.expr(), s[start:end])
	if !ok {
		return 0, 0, false, false
	}
	from, to = start+from, start+to
	for to < end && (word(s[to]) || s[to] == '-') {
		to++
	}
	return from, to, to == end, true
}

// value applies the expression to the value that is assigned to the name which
// ends at i; cut says that it goes on beyond the window.
func (ru *rule) value(s []byte, i int) (from, to int, cut, ok bool) {
	v, ok := assigned(s, i)
	if !ok {
		return 0, 0, false, false
	}
	end := min(len(s), v+usualWindow)
	if from, to, ok = group(ru.expr(), s[v:end]); !ok {
		return 0, 0, false, false
	}
	from, to = v+from, v+to
	return from, to, to == end, to == end || !goesOn(s[to:])
}

// group returns where the first group of the match stands, or the whole match.
func group(expr *regexp.Regexp, s []byte) (from, to int, ok bool) {
	m := expr.FindSubmatchIndex(s)
	switch {
	case m == nil:
		return 0, 0, false
	case len(m) > 2 && m[2] >= 0:
		return m[2], m[3], true
	}
	return m[0], m[1], true
}

// goesOn reports whether a value of fixed form does not end where s begins.
func goesOn(s []byte) bool {
	if word(s[0]) || s[0] >= 0x80 {
		return true
	}
	return bytes.IndexByte([]byte(`-+/=~.`), s[0]) >= 0 && len(s) > 1 && word(s[1])
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// nameAt tells a name from letters within another word: rookTable is not of okta,
// nor sumOfAll of sumo.
func nameAt(s []byte, i, length int) bool {
	lower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	if i > 0 && (lower(s[i-1]) && !upper(s[i]) || upper(s[i-1]) && upper(s[i])) {
		return false
	}
	if length <= 5 {
		for _, c := range s[i+1 : i+length] {
			if upper(c) && !upper(s[i]) { // rookTable, setSysctl
				return false
			}
		}
		return upper(s[i+1]) == upper(s[i+length-1])
	}
	return true
}
