package plan

// Verdict is what Accept could prove.
type Verdict int8

// The verdicts, in an order in which "and" is the smaller of two, "or" the
// greater.
const (
	No Verdict = iota
	Maybe
	Yes
)

func yesIf(ok bool) Verdict {
	if ok {
		return Yes
	}
	return No
}

// maxNesting bounds the depth of the walk over schema and value together.
const maxNesting = 10_000

// Accept judges a checked JSON value. Yes and No are proofs; Maybe means that
// the value or the schema holds something that is left to the library, or that
// fuel, roughly the number of bytes and subschemas looked at, ran out.
// A value whose strings have no escapes is judged without an allocation.
func (n *Node) Accept(raw []byte, fuel int) Verdict {
	e := eval{b: raw, fuel: fuel}
	v, _ := e.value(n, space(raw, 0))
	if e.spent() {
		return Maybe
	}
	return v
}

type eval struct {
	b       []byte
	fuel    int
	nesting int
}

func (e *eval) spent() bool { return e.fuel < 0 || e.nesting > maxNesting }

// value judges the value that starts at i and returns the index after it. Once
// fuel is spent the index means nothing, and every loop ends.
func (e *eval) value(n *Node, i int) (Verdict, int) {
	e.fuel--
	if e.spent() || i >= len(e.b) {
		return Maybe, len(e.b)
	}
	if n.always || n.never {
		end := skip(e.b, i)
		e.fuel -= (end - i) / 16
		return yesIf(n.always), end
	}
	e.nesting++
	v, end := e.own(n, i)
	if v != No {
		v = min(v, e.inPlace(n, i, end))
	}
	if !e.spent() {
		e.nesting--
	}
	if n.opaque {
		v = min(v, Maybe)
	}
	return v, end
}

// own judges by everything but the in-place applicators.
func (e *eval) own(n *Node, i int) (v Verdict, end int) {
	kind := kindOf(e.b[i])
	if n.kinds != 0 && !n.admits(kind) {
		end = skip(e.b, i)
		e.fuel -= (end - i) / 16
		return No, end
	}
	switch kind {
	case kObject:
		v, end = e.object(n, i)
		return min(v, n.container()), end
	case kArray:
		v, end = e.array(n, i)
		return min(v, n.container()), end
	case kString:
		end = skipString(e.b, i)
		return n.str(e.b[i:end], &e.fuel), end
	case kNumber:
		end = skipScalar(e.b, i)
		return n.number(e.b[i:end]), end
	}
	return n.literal(e.b[i]), skipScalar(e.b, i)
}

// inPlace applies the subschemas that judge the same value. Each reads it
// again, which is paid for in fuel.
func (e *eval) inPlace(n *Node, i, end int) Verdict {
	v := Yes
	again := func(sub *Node) Verdict {
		e.fuel -= (end - i) / 16
		sv, _ := e.value(sub, i)
		return sv
	}
	for _, sub := range n.all {
		v = min(v, again(sub))
	}
	if n.any != nil && v != No {
		best := No
		for _, sub := range n.any {
			if best = max(best, again(sub)); best == Yes {
				break
			}
		}
		v = min(v, best)
	}
	if n.one != nil && v != No {
		v = min(v, exactlyOne(n.one, again))
	}
	if n.not != nil && v != No {
		v = min(v, Yes-again(n.not))
	}
	if n.cond != nil && v != No {
		v = min(v, n.conditional(again))
	}
	return v
}

func exactlyOne(nodes []*Node, judge func(*Node) Verdict) Verdict {
	yes, maybe := 0, 0
	for _, sub := range nodes {
		switch judge(sub) {
		case Yes:
			yes++
		case Maybe:
			maybe++
		}
	}
	switch {
	case yes > 1 || yes+maybe == 0:
		return No
	case maybe > 0:
		return Maybe
	}
	return Yes
}

func (n *Node) conditional(judge func(*Node) Verdict) Verdict {
	branch := n.then
	switch judge(n.cond) {
	case Maybe:
		return Maybe
	case No:
		branch = n.els
	}
	if branch == nil {
		return Yes
	}
	return judge(branch)
}

func (e *eval) array(n *Node, i int) (Verdict, int) {
	v, count := Yes, 0
	at, more := next(e.b, i+1)
	for more && !e.spent() {
		sub := n.rest
		if count < len(n.prefix) {
			sub = n.prefix[count]
		}
		var end int
		if sub == nil {
			end = skip(e.b, at)
		} else {
			var sv Verdict
			sv, end = e.value(sub, at)
			v = min(v, sv)
		}
		count++
		at, more = next(e.b, end)
	}
	if n.minItems > count || n.maxNum >= 0 && count > n.maxNum {
		v = No
	}
	if n.unique && count > 1 {
		v = min(v, Maybe)
	}
	return v, at + 1
}

func (e *eval) object(n *Node, i int) (Verdict, int) {
	v, count, seen := Yes, 0, uint64(0)
	at, more := next(e.b, i+1)
	for more && !e.spent() {
		name, start := member(e.b, at)
		f := n.fields[string(name)]
		if f.required > 0 {
			seen |= 1 << (f.required - 1)
		}
		sv, end := e.field(n, f, name, start)
		v = min(v, sv)
		count++
		at, more = next(e.b, end)
	}
	if seen != n.required || n.minProps > count || n.maxProps >= 0 && count > n.maxProps {
		v = No
	}
	return v, at + 1
}

// field judges the member of that name, whose value starts at i.
func (e *eval) field(n *Node, f field, name []byte, i int) (v Verdict, end int) {
	v, end = Yes, -1
	judge := func(sub *Node) {
		if sub != nil {
			var sv Verdict
			sv, end = e.value(sub, i)
			v = min(v, sv)
		}
	}
	known := f.node != nil
	judge(f.node)
	for _, p := range n.patterns {
		e.fuel -= p.re.cost(len(name))
		if p.re.Match(name) {
			known = true
			judge(p.node)
		}
	}
	if !known {
		judge(n.extra)
	}
	if end < 0 {
		end = skip(e.b, i)
	}
	return v, end
}

func (n *Node) admits(kind int) bool {
	if kind == kNumber {
		return n.kinds&(kNumber|kInteger) != 0
	}
	return n.kinds&kind != 0
}

func kindOf(first byte) int {
	switch first {
	case '{':
		return kObject
	case '[':
		return kArray
	case '"':
		return kString
	case 't', 'f':
		return kBool
	case 'n':
		return kNull
	}
	return kNumber
}
