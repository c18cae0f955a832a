package secret

import "sync"

// Scanner applies the rules. It is immutable and safe for concurrent use.
type Scanner struct {
	opt Options
	*set
}

// set is all rules with the filter over them; every Scanner shares one.
type set struct {
	rules  []rule
	filter *filter
}

var compiled = sync.OnceValue(func() *set {
	rules := append(special(), table(rulesText)...)
	return &set{rules, newFilter(rules)}
})

// New returns a Scanner.
func New(opt Options) *Scanner { return &Scanner{opt, compiled()} }

// Span is one secret in a text: s[From:To].
type Span struct {
	From, To int
	Class    string // such as "github_token"
	unit     unit
}

// unit is of how many bytes a character is, and in which order.
type unit uint8

const (
	lowFirst  unit = 1 + iota // two, as UTF-16 has it
	highFirst                 // likewise
)

// May reports whether a literal of a rule may stand in s, or something that
// encodes one: if not, Mask changes nothing.
func (sc *Scanner) May(s []byte) bool {
	for at, rules := sc.filter.next(s, 0); at >= 0; at, rules = sc.filter.next(s, at+1) {
		for _, n := range rules {
			if ru := &sc.rules[n]; ru.literals == nil || ru.literalAt(s[at:]) > 0 {
				return true
			}
		}
	}
	return sc.opt.wanted(s) || mayEncode(s)
}

// next returns the first secret that begins at or after i. on is for one text.
func (sc *Scanner) next(s []byte, i int, on *far) (Span, bool) {
	done := i
	for at, rules := sc.filter.next(s, i); at >= 0; at, rules = sc.filter.next(s, at+1) {
		best := Span{From: -1}
		for _, n := range rules {
			ru := &sc.rules[n]
			if from, to, ok := ru.at(s, at, on); ok && from >= done && to > best.To {
				best = Span{from, to, ru.class, 0}
			}
		}
		if best.From >= 0 {
			return best, true
		}
	}
	return Span{}, false
}

// Spans calls each with the secrets in s, those that show when it is decoded among
// them, in order and apart from each other.
func (sc *Scanner) Spans(s []byte, each func(Span)) {
	done, coded := 0, sc.encoded(s, steps)
	var on far
	plain, more := sc.next(s, 0, &on)
	for more || len(coded) > 0 {
		if more && plain.From < done { // looked for once more only where it must be
			plain, more = sc.next(s, done, &on)
			continue
		}
		sp := plain
		if len(coded) > 0 && (!more || coded[0].From < plain.To) {
			sp, coded = coded[0], coded[1:]
		}
		if sp.From < done {
			continue
		}
		done = sp.To
		each(sp)
	}
}

// Mask replaces the secrets in s by placeholders such as [redacted:jwt]: it
// returns s itself where there are none, else the text appended to buf[:0].
// Placeholders match no rule, so that masking twice is masking once.
func (sc *Scanner) Mask(buf, s []byte, count func(class string)) (out []byte, changed bool) {
	done := 0
	sc.Spans(s, func(sp Span) {
		if !changed {
			out, changed = buf[:0], true
		}
		out = sp.append(append(out, s[done:sp.From]...))
		done = sp.To
		count(sp.Class)
	})
	if changed {
		out = append(out, s[done:]...)
	} else {
		out = s
	}
	if sc.opt == (Options{}) {
		return out, changed
	}
	return sc.maskPersons(out, changed, count)
}

// AppendPlaceholder appends what stands for a secret of a class.
func AppendPlaceholder(out []byte, class string) []byte {
	return append(append(append(out, "[redacted:"...), class...), ']')
}

// append appends what stands for the secret, in characters of its text.
func (sp Span) append(out []byte) []byte {
	if sp.unit == 0 {
		return AppendPlaceholder(out, sp.Class)
	}
	for _, c := range AppendPlaceholder(nil, sp.Class) {
		if sp.unit == lowFirst {
			out = append(out, c, 0)
		} else {
			out = append(out, 0, c)
		}
	}
	return out
}

// maskPersons masks what Options name, in text that was masked before.
func (sc *Scanner) maskPersons(s []byte, changed bool, count func(class string)) ([]byte, bool) {
	from, to, class := sc.person(s, 0)
	if from < 0 {
		return s, changed
	}
	var out []byte
	done := 0
	for from >= 0 {
		out = AppendPlaceholder(append(out, s[done:from]...), class)
		count(class)
		done = to
		from, to, class = sc.person(s, done)
	}
	return append(out, s[done:]...), true
}

// Assigned reports whether value is a secret where it is assigned to name, and its
// class.
func (sc *Scanner) Assigned(name, value []byte) (class string, ok bool) {
	text := append(append(append(make([]byte, 0, len(name)+len(value)+4), name...), `="`...), value...)
	text = append(text, '"')
	sp, ok := sc.next(text, 0, new(far))
	return sp.Class, ok && sp.To > len(name)+2
}
