package redact

// prefilter finds where a literal of a rule may start. Each of its three tables
// has, for a byte at that position of a literal, a bit for every rule that has a
// literal with it; a place at which the three agree on a rule is looked at
// closely. Rules beyond the width of the word share a bit, which costs time only.
type prefilter struct {
	at [3][256]uint16
}

func newPrefilter(rs []rule) *prefilter {
	p := &prefilter{}
	for i, r := range rs {
		bit := uint16(1) << (i % 16)
		for _, lit := range r.literals {
			for pos := range p.at {
				c := lit[pos]
				p.at[pos][c] |= bit
				if r.fold && c >= 'a' && c <= 'z' {
					p.at[pos][c-0x20] |= bit
				}
			}
		}
	}
	return p
}

// next returns the first place at or after i where a literal may start, or -1.
func (p *prefilter) next(s []byte, i int) int {
	for ; i+2 < len(s); i++ {
		if p.at[0][s[i]]&p.at[1][s[i+1]]&p.at[2][s[i+2]] != 0 {
			return i
		}
	}
	return -1
}

// span is a secret found: s[from:to] by rules[rule].
type span struct{ from, to, rule int }

// secretAt tries the rules at the place i.
func (r *Redactor) secretAt(s []byte, i int) (span, bool) {
	for n := range rules {
		ru := &rules[n]
		if !ru.hasLiteral(s[i:]) || !ru.free && i > 0 && word(s[i-1]) {
			continue
		}
		end := min(len(s), i+ru.window)
		m := ru.expr.FindSubmatchIndex(s[i:end])
		if m == nil {
			continue
		}
		from, to := i+m[2], i+m[3]
		if ru.valid != nil && !ru.valid(s[from:to]) {
			continue
		}
		if to == end { // the window cut it short: the rest belongs to it
			for to < len(s) && s[to] > ' ' && s[to] != '"' && s[to] != '\'' {
				to++
			}
		}
		return span{from, to, n}, true
	}
	return span{}, false
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

// mask replaces the secrets in s by placeholders such as [redacted:jwt]: it
// returns s itself where there are none, else the text appended to buf[:0].
// A secret that hides inside another's placeholder does not exist: placeholders
// match no rule.
func (r *Redactor) mask(buf, s []byte, count func(rule int)) (out []byte, changed bool) {
	done := 0
	for i := r.filter.next(s, 0); i >= 0; {
		sp, ok := r.secretAt(s, i)
		if !ok {
			i = r.filter.next(s, i+1)
			continue
		}
		if !changed {
			out, changed = buf[:0], true
		}
		out = append(out, s[done:sp.from]...)
		out = append(append(append(out, "[redacted:"...), rules[sp.rule].class...), ']')
		done = sp.to
		count(sp.rule)
		i = r.filter.next(s, max(sp.to, i+1))
	}
	if !changed {
		return s, false
	}
	return append(out, s[done:]...), true
}
