package check

import (
	"fmt"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// The sets of the simple form, all but allow.
const (
	ruleDeny        Phase = "deny"        // codes
	ruleAsk         Phase = "ask"         // codes
	ruleObligations Phase = "obligations" // obligation objects
	ruleWithhold    Phase = "withhold"    // codes, of the result phase
	ruleRedact      Phase = "redact"      // JSON Pointers, of the result phase
)

// simpleProblems says which rules of the simple form are of another shape. OPA
// would only say that they conflict with rules that the author never saw.
func (b *build) simpleProblems() gateway.Problems {
	var ps gateway.Problems
	for _, r := range b.own() {
		set := r.Head.RuleKind() == ast.MultiValue
		var message string
		switch {
		case r.Ref().HasPrefix(entry("allow")) && (set || len(r.Ref()) != len(entry("allow")) || isWord(r.Head.Value)):
			message = "allow must be true or false: write `allow if …`"
		case !set && (r.Ref().HasPrefix(entry(ruleDeny)) || r.Ref().HasPrefix(entry(ruleAsk))):
			message = "deny and ask must be sets of codes: write `deny contains \"code\" if …`"
		case !set && r.Ref().HasPrefix(entry(ruleObligations)):
			message = "obligations must be a set of objects: write `obligations contains lib.label(\"code\") if …`"
		default:
			continue
		}
		ps = append(ps, b.files.modules.at(r.Location, codeEntryShape, message))
	}
	return ps
}

// isWord says whether a rule's value is a constant that is neither true nor false.
func isWord(t *ast.Term) bool {
	switch t.Value.(type) {
	case ast.Null, ast.Number, ast.String:
		return true
	}
	return false
}

// addSimpleForm adds the module that makes decision, and result, from the sets
// that the author wrote.
func (b *build) addSimpleForm() error {
	text := ""
	if b.simple {
		text += b.decisionText()
	}
	if !b.has(contract.PhaseResult) && (b.has(ruleWithhold) || b.has(ruleRedact)) {
		text += b.resultText()
	}
	if text == "" {
		return nil
	}
	m, err := ast.ParseModuleWithOpts(simpleFile, "package mcp.gateway\n\n"+text, ast.ParserOptions{})
	if err != nil {
		return b.files.modules.problems(err)
	}
	b.modules[simpleFile] = m
	return nil
}

// decisionText: a deny outweighs an ask, an ask outweighs an allow, and without
// an allow there is no decision, which the gateway takes as a denial. A code
// whose mode is not enforce weighs nothing and is noted.
func (b *build) decisionText() string {
	deny, ask, more := "deny", "ask", ""
	if warned, watched := b.words.Under(ModeWarn), b.words.Under(ModeAudit); len(warned)+len(watched) > 0 {
		free := setText(append(warned, watched...))
		deny, ask = "deny - "+free, "ask - "+free
		more = fmt.Sprintf(`, "warned": (deny | ask) & %s, "watched": (deny | ask) & %s`, setText(warned), setText(watched))
	}
	owed := more
	if b.has(ruleObligations) {
		owed += `, "obligations": obligations`
	}
	var t strings.Builder
	fmt.Fprintf(&t, "decision := {\"effect\": \"deny\", \"reasons\": denied%s} if {\n\tdenied := %s\n\tcount(denied) > 0\n}", more, deny)
	fmt.Fprintf(&t, " else := {\"effect\": \"ask\", \"reasons\": asked%s} if {\n\tallow == true\n\tasked := %s\n\tcount(asked) > 0\n}", owed, ask)
	fmt.Fprintf(&t, " else := {\"effect\": \"allow\", \"reasons\": []%s} if {\n\tallow == true\n}\n\n", owed)
	for _, set := range []Phase{ruleDeny, ruleAsk} { // what an author leaves out exists and adds nothing
		if !b.has(set) {
			fmt.Fprintf(&t, "%s contains \"\" if false\n\n", set)
		}
	}
	return t.String()
}

// resultText: what is withheld need not be redacted, and what nothing speaks
// about is released.
func (b *build) resultText() string {
	withhold := "withhold"
	if free := append(b.words.Under(ModeWarn), b.words.Under(ModeAudit)...); len(free) > 0 {
		withhold += " - " + setText(free)
	}
	t := "result := {\"effect\": \"withhold\", \"reasons\": held} if {\n\theld := " + withhold + "\n\tcount(held) > 0\n} " +
		"else := {\"effect\": \"redact\", \"reasons\": [], \"paths\": redact} if {\n\tcount(redact) > 0\n} " +
		"else := {\"effect\": \"release\", \"reasons\": []}\n\n"
	for _, set := range []Phase{ruleWithhold, ruleRedact} {
		if !b.has(set) {
			t += string(set) + " contains \"\" if false\n\n"
		}
	}
	return t
}

// setText writes a set of codes down as Rego.
func setText(codes []string) string {
	if len(codes) == 0 {
		return "set()"
	}
	quoted := make([]string, len(codes))
	for i, code := range codes {
		quoted[i] = fmt.Sprintf("%q", code)
	}
	return "{" + strings.Join(quoted, ", ") + "}"
}
