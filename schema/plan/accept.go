package plan

import (
	"mcp-gateway/protocol/rawjson"
	"mcp-gateway/schema/plan/scalar"
	"mcp-gateway/schema/plan/scan"
)

// maxNesting bounds the depth of the walk over schema and value together.
const maxNesting = 10_000

// Accept judges a checked JSON value. Yes and No are proofs; Maybe means that
// the value or the schema holds something that is left to the library, or that
// fuel, roughly the number of bytes and subschemas looked at, ran out.
// A value whose strings have no escapes is judged without an allocation.
func (n *Node) Accept(raw []byte, fuel int) scalar.Verdict {
	e := eval{b: raw, fuel: fuel}
	v, _ := e.value(n, rawjson.SkipSpace(raw, 0))
	if e.spent() {
		return scalar.Maybe
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
func (e *eval) value(n *Node, i int) (scalar.Verdict, int) {
	e.fuel--
	if e.spent() || i >= len(e.b) {
		return scalar.Maybe, len(e.b)
	}
	if n.always || n.never {
		end := rawjson.SkipValue(e.b, i)
		e.fuel -= (end - i) / 16
		return scalar.YesIf(n.always), end
	}
	e.nesting++
	v, end := e.own(n, i)
	if v != scalar.No {
		v = min(v, e.inPlace(n, i, end))
	}
	if !e.spent() {
		e.nesting--
	}
	if n.opaque {
		v = min(v, scalar.Maybe)
	}
	return v, end
}

// own judges by everything but the in-place applicators.
func (e *eval) own(n *Node, i int) (v scalar.Verdict, end int) {
	kind := scalar.KindOf(e.b[i])
	if !n.rule.Admits(kind) {
		end = rawjson.SkipValue(e.b, i)
		e.fuel -= (end - i) / 16
		return scalar.No, end
	}
	switch kind {
	case scalar.Object:
		v, end = e.object(n, i)
		return min(v, n.rule.Container()), end
	case scalar.Array:
		v, end = e.array(n, i)
		return min(v, n.rule.Container()), end
	case scalar.String:
		end = rawjson.SkipString(e.b, i)
		return n.rule.String(e.b[i:end], &e.fuel), end
	case scalar.Number:
		end = rawjson.SkipScalar(e.b, i)
		return n.rule.Number(e.b[i:end]), end
	}
	return n.rule.Literal(e.b[i]), rawjson.SkipScalar(e.b, i)
}

// inPlace applies the subschemas that judge the same value. Each reads it
// again, which is paid for in fuel.
func (e *eval) inPlace(n *Node, i, end int) scalar.Verdict {
	v := scalar.Yes
	again := func(sub *Node) scalar.Verdict {
		e.fuel -= (end - i) / 16
		sv, _ := e.value(sub, i)
		return sv
	}
	for _, sub := range n.all {
		v = min(v, again(sub))
	}
	if n.any != nil && v != scalar.No {
		best := scalar.No
		for _, sub := range n.any {
			if best = max(best, again(sub)); best == scalar.Yes {
				break
			}
		}
		v = min(v, best)
	}
	if n.one != nil && v != scalar.No {
		v = min(v, exactlyOne(n.one, again))
	}
	if n.not != nil && v != scalar.No {
		v = min(v, scalar.Yes-again(n.not))
	}
	if n.cond != nil && v != scalar.No {
		v = min(v, n.conditional(again))
	}
	return v
}

func exactlyOne(nodes []*Node, judge func(*Node) scalar.Verdict) scalar.Verdict {
	yes, maybe := 0, 0
	for _, sub := range nodes {
		switch judge(sub) {
		case scalar.Yes:
			yes++
		case scalar.Maybe:
			maybe++
		}
	}
	switch {
	case yes > 1 || yes+maybe == 0:
		return scalar.No
	case maybe > 0:
		return scalar.Maybe
	}
	return scalar.Yes
}

func (n *Node) conditional(judge func(*Node) scalar.Verdict) scalar.Verdict {
	branch := n.then
	switch judge(n.cond) {
	case scalar.Maybe:
		return scalar.Maybe
	case scalar.No:
		branch = n.els
	}
	if branch == nil {
		return scalar.Yes
	}
	return judge(branch)
}

func (e *eval) array(n *Node, i int) (scalar.Verdict, int) {
	v, count := scalar.Yes, 0
	at, more := scan.Next(e.b, i+1)
	for more && !e.spent() {
		sub := n.rest
		if count < len(n.prefix) {
			sub = n.prefix[count]
		}
		var end int
		if sub == nil {
			end = rawjson.SkipValue(e.b, at)
		} else {
			var sv scalar.Verdict
			sv, end = e.value(sub, at)
			v = min(v, sv)
		}
		count++
		at, more = scan.Next(e.b, end)
	}
	if n.minItems > count || n.maxNum >= 0 && count > n.maxNum {
		v = scalar.No
	}
	if n.unique && count > 1 {
		v = min(v, scalar.Maybe)
	}
	return v, at + 1
}

func (e *eval) object(n *Node, i int) (scalar.Verdict, int) {
	v, count, seen := scalar.Yes, 0, uint64(0)
	at, more := scan.Next(e.b, i+1)
	for more && !e.spent() {
		name, start := scan.Member(e.b, at)
		f := n.fields[string(name)]
		if f.required > 0 {
			seen |= 1 << (f.required - 1)
		}
		sv, end := e.field(n, f, name, start)
		v = min(v, sv)
		count++
		at, more = scan.Next(e.b, end)
	}
	if seen != n.required || n.minProps > count || n.maxProps >= 0 && count > n.maxProps {
		v = scalar.No
	}
	return v, at + 1
}

// field judges the member of that name, whose value starts at i.
func (e *eval) field(n *Node, f field, name []byte, i int) (v scalar.Verdict, end int) {
	v, end = scalar.Yes, -1
	judge := func(sub *Node) {
		if sub != nil {
			var sv scalar.Verdict
			sv, end = e.value(sub, i)
			v = min(v, sv)
		}
	}
	known := f.node != nil
	judge(f.node)
	for _, p := range n.patterns {
		e.fuel -= p.re.Cost(len(name))
		if p.re.Match(name) {
			known = true
			judge(p.node)
		}
	}
	if !known {
		judge(n.extra)
	}
	if end < 0 {
		end = rawjson.SkipValue(e.b, i)
	}
	return v, end
}
