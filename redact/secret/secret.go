package secret

// Scanner applies the rules. It is immutable and safe for concurrent use.
type Scanner struct{ filter *prefilter }

// New returns a Scanner.
func New() *Scanner { return &Scanner{filter: newPrefilter(rules)} }

// Rules returns the number of rules; Class names what one of them finds. Several
// rules may find the same class.
func Rules() int { return len(rules) }

// Class returns the class of the rule of that number, such as "github_token".
func Class(rule int) string { return rules[rule].class }

// May reports whether a literal of a rule stands in s: if not, Mask changes
// nothing.
func (sc *Scanner) May(s []byte) bool {
	at, _ := sc.filter.next(s, 0)
	return at >= 0
}

// prefilter finds where a literal of a rule starts, by its first three bytes at
// the cost of one table look-up a byte (the Shift-And algorithm with a set of
// rules in each place). For every byte the table holds three sets of rules, 16
// bits each: those with a literal that has it first, second, third. Rules beyond
// the width of a set share a bit, which costs time only.
type prefilter [256]uint64

const setBits = 16

func newPrefilter(rs []rule) *prefilter {
	p := &prefilter{}
	for n, r := range rs {
		for _, lit := range r.literals {
			p.add(lit, n%setBits, r.fold)
		}
	}
	return p
}

func (p *prefilter) add(lit string, n int, fold bool) {
	for pos := range 3 {
		bit, c := uint64(1)<<(n+pos*setBits), lit[pos]
		p[c] |= bit
		if fold && c >= 'a' && c <= 'z' {
			p[c-0x20] |= bit
		}
	}
}

// next returns the first place at or after i where a literal of a rule stands,
// with the bits of the rules that it may belong to, or -1.
func (p *prefilter) next(s []byte, i int) (place int, bits uint16) {
	const all = 1<<setBits - 1
	state := uint64(0)
	for j, c := range s[i:] {
		state = (state<<setBits | all) & p[c]
		if state < 1<<(2*setBits) {
			continue
		}
		place, bits = i+j-2, uint16(state>>(2*setBits))
		if literalAt(s[place:], bits) {
			return place, bits
		}
	}
	return -1, 0
}

// literalAt reports whether s begins with a literal of one of the rules.
func literalAt(s []byte, bits uint16) bool {
	for n := range rules {
		if bits&(1<<(n%setBits)) != 0 && rules[n].hasLiteral(s) {
			return true
		}
	}
	return false
}

// span is a secret found: s[from:to] by rules[rule].
type span struct{ from, to, rule int }

// secretAt tries the rules of those bits at the place i.
func secretAt(s []byte, i int, bits uint16) (span, bool) {
	for n := range rules {
		ru := &rules[n]
		if bits&(1<<(n%setBits)) == 0 || !ru.hasLiteral(s[i:]) || !ru.free && i > 0 && word(s[i-1]) {
			continue
		}
		if from, to, ok := ru.find(s, i); ok {
			return span{from, to, n}, true
		}
	}
	return span{}, false
}

// find runs the expression in the window at i.
func (ru *rule) find(s []byte, i int) (from, to int, ok bool) {
	end := min(len(s), i+ru.window)
	m := ru.expr.FindSubmatchIndex(s[i:end])
	if m == nil {
		return 0, 0, false
	}
	from, to = i+m[2], i+m[3]
	if ru.valid != nil && !ru.valid(s[from:to]) {
		return 0, 0, false
	}
	if to == end { // the window cut it short: the rest belongs to it
		for to < len(s) && s[to] > ' ' && s[to] != '"' && s[to] != '\'' {
			to++
		}
	}
	return from, to, true
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

func (ru *rule) hasLiteral(s []byte) bool {
	for _, lit := range ru.literals {
		if len(s) >= len(lit) && equalFold(s[:len(lit)], lit, ru.fold) {
			return true
		}
	}
	return false
}

func equalFold(s []byte, lit string, fold bool) bool {
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

// Mask replaces the secrets in s by placeholders such as [redacted:jwt]: it
// returns s itself where there are none, else the text appended to buf[:0].
// Placeholders match no rule, so that masking twice is masking once.
func (sc *Scanner) Mask(buf, s []byte, count func(rule int)) (out []byte, changed bool) {
	done := 0
	for i, bits := sc.filter.next(s, 0); i >= 0; {
		sp, ok := secretAt(s, i, bits)
		if !ok {
			i, bits = sc.filter.next(s, i+1)
			continue
		}
		if !changed {
			out, changed = buf[:0], true
		}
		out = append(out, s[done:sp.from]...)
		out = append(append(append(out, "[redacted:"...), rules[sp.rule].class...), ']')
		done = sp.to
		count(sp.rule)
		i, bits = sc.filter.next(s, sp.to)
	}
	if !changed {
		return s, false
	}
	return append(out, s[done:]...), true
}
