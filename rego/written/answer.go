package written

import (
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/answer"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/flow"
	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Codes of faults.
const (
	CodeAnswer     = "policy_answer"     // a decision or a result that would be none
	CodeObligation = "policy_obligation" // an obligation that would permit nothing
)

// form is how an answer of a phase is written.
type form struct {
	phase   contract.Phase
	effects []string
	members []string // that it may have
	codes   []string // of these, those that hold codes
	reason  []string // effects that need a reason
}

func forms() []form {
	return []form{
		{contract.PhaseDecision, []string{string(gateway.Allow), string(gateway.Ask), string(gateway.Deny)},
			[]string{"effect", "reasons", "obligations", "warned", "watched"}, []string{"reasons", "warned", "watched"},
			[]string{string(gateway.Ask), string(gateway.Deny)}},
		{contract.PhaseResult, []string{string(answer.ReleaseWhole), string(answer.Redact), string(answer.Withhold)},
			[]string{"effect", "reasons", "paths"}, []string{"reasons"}, []string{string(answer.Withhold)}},
	}
}

// Answers says which decisions and results, as far as they are written down, would be
// refused as none: another effect than there are, a reason that is no code, a member
// that is not known or not there, an obligation that permits nothing. own says of a
// file whether the author wrote it; faults stand there.
func Answers(c *ast.Compiler, own func(file string) bool) []lint.Fault {
	w := &writing{c: c, own: own}
	for _, f := range forms() {
		w.answers(f)
	}
	w.each(contract.PhaseDecision, func(l flow.Leaf) {
		if err := answer.CheckObligation(l.Value); err != nil {
			w.fault(l, CodeObligation, "it would permit nothing: "+err.Error())
		}
	}, ast.StringTerm("obligations"), ast.VarTerm("_"))
	w.each(contract.PhaseResult, func(l flow.Leaf) {
		if err := answer.CheckPointer(l.Value); err != nil {
			w.fault(l, CodeAnswer, "the result would be withheld: "+err.Error())
		}
	}, ast.StringTerm("paths"), ast.VarTerm("_"))
	w.each(contract.PhaseVisible, func(l flow.Leaf) {
		if _, text := l.Value.(ast.String); !text {
			w.fault(l, CodeAnswer, fmt.Sprintf("visible holds the ids of resources, and %s is no text", l.Value))
		}
	}, ast.VarTerm("_"))
	return w.faults
}

type writing struct {
	c      *ast.Compiler
	own    func(file string) bool
	faults []lint.Fault
}

// each visits what is written down at a place of a phase's answer.
func (w *writing) each(p contract.Phase, visit func(flow.Leaf), steps ...*ast.Term) {
	place := append(ast.Ref{ast.DefaultRootDocument, ast.StringTerm("mcp"), ast.StringTerm("gateway"), ast.StringTerm(string(p))}, steps...)
	leaves, _ := flow.Leaves(w.c, place)
	for _, l := range leaves {
		visit(l)
	}
}

// fault notes what is wrong with a leaf at the innermost of its places that is in a
// file of the author's.
func (w *writing) fault(l flow.Leaf, code, message string) {
	for _, at := range l.At {
		if at != nil && w.own(at.File) {
			w.faults = append(w.faults, lint.Fault{Location: at, Code: code, Message: message})
			return
		}
	}
}

func (w *writing) answers(f form) {
	w.each(f.phase, func(l flow.Leaf) { w.whole(f, l) })
	w.each(f.phase, func(l flow.Leaf) {
		word, text := l.Value.(ast.String)
		switch {
		case !text:
			w.fault(l, CodeAnswer, fmt.Sprintf("%s.effect is %s; it must be %s", f.phase, l.Value, oneOf(f.effects)))
		case !slices.Contains(f.effects, string(word)):
			w.fault(l, CodeAnswer, fmt.Sprintf("%s.effect is never %q%s; it must be %s", f.phase, string(word), meant(string(word), f.effects), oneOf(f.effects)))
		}
	}, ast.StringTerm("effect"))
	for _, member := range f.codes {
		w.codes(f.phase, member)
	}
}

// whole holds an answer that stands written down as an object to its members.
func (w *writing) whole(f form, l flow.Leaf) {
	o, ok := l.Value.(ast.Object)
	if !ok {
		w.fault(l, CodeAnswer, fmt.Sprintf("%s must be an object with effect and reasons, and is %s", f.phase, l.Value))
		return
	}
	open := false
	o.Foreach(func(k, _ *ast.Term) {
		name, text := k.Value.(ast.String)
		switch {
		case !k.IsGround():
			open = true
		case !text || !slices.Contains(f.members, string(name)):
			at := l
			if k.Location != nil {
				at.At = append([]*ast.Location{k.Location}, l.At...)
			}
			w.fault(at, CodeAnswer, fmt.Sprintf("%s has no member %s%s; it knows %s", f.phase, k, lint.Meant(string(name), f.members), strings.Join(f.members, ", ")))
			open = true // what it was meant to be is missing
		}
	})
	if open {
		return
	}
	for _, name := range f.members[:2] {
		if o.Get(ast.InternedTerm(name)) == nil {
			w.fault(l, CodeAnswer, fmt.Sprintf("%s lacks %s", f.phase, name))
			return
		}
	}
	w.fits(f, l, o)
}

// fits holds the members of an answer to each other.
func (w *writing) fits(f form, l flow.Leaf, o ast.Object) {
	word, _ := o.Get(ast.InternedTerm("effect")).Value.(ast.String)
	none := false
	switch v := o.Get(ast.InternedTerm("reasons")).Value.(type) {
	case *ast.Array:
		none = v.Len() == 0
	case ast.Set:
		none = v.Len() == 0
	}
	paths := o.Get(ast.InternedTerm("paths")) != nil
	redacts := string(word) == string(answer.Redact)
	switch {
	case none && slices.Contains(f.reason, string(word)):
		w.fault(l, CodeAnswer, fmt.Sprintf("%s says %s and gives no reason", f.phase, string(word)))
	case f.phase != contract.PhaseResult || word == "":
	case redacts && !paths:
		w.fault(l, CodeAnswer, "result says redact and has no paths")
	case !redacts && paths && slices.Contains(f.effects, string(word)):
		w.fault(l, CodeAnswer, fmt.Sprintf("result has paths and says %s; they go with redact", string(word)))
	}
}

// codes holds a member to be a list of codes.
func (w *writing) codes(p contract.Phase, member string) {
	list := true
	w.each(p, func(l flow.Leaf) {
		switch l.Value.(type) {
		case *ast.Array, ast.Set:
		default:
			list = false
			w.fault(l, CodeAnswer, fmt.Sprintf("%s.%s is %s; it must be a set or an array of codes", p, member, l.Value))
		}
	}, ast.StringTerm(member))
	w.each(p, func(l flow.Leaf) {
		if word, text := l.Value.(ast.String); list && (!text || !contract.IsCode(string(word))) {
			w.fault(l, CodeAnswer, fmt.Sprintf("%s.%s holds %s, which is no code: lower-case words joined by underscores, at most %d characters; policy_ is the gateway's own",
				p, member, l.Value, contract.MaxCode))
		}
	}, ast.StringTerm(member), ast.VarTerm("_"))
}

// meant says which effect a word was meant to be: one that is near, or that says the
// same.
func meant(word string, effects []string) string {
	if near := lint.Meant(word, effects); near != "" {
		return near
	}
	same := ""
	switch strings.ToLower(word) {
	case "permit", "permitted", "allowed", "grant", "accept", "pass", "yes", "true", "ok":
		same = string(gateway.Allow)
	case "denied", "forbid", "reject", "refuse", "block", "drop", "no", "false":
		same = string(gateway.Deny)
	case "approve", "approval", "confirm", "consent", "prompt", "review":
		same = string(gateway.Ask)
	case "mask", "clean", "filter":
		same = string(answer.Redact)
	case "hold", "suppress", "hide":
		same = string(answer.Withhold)
	}
	if !slices.Contains(effects, same) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", same)
}

func oneOf(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
