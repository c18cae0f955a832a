package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/gateway"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Mode says what a rule's code does.
type Mode string

// The modes, from the strictest.
const (
	ModeEnforce Mode = "enforce" // it denies or asks
	ModeWarn    Mode = "warn"    // it is put on record and told to the caller
	ModeAudit   Mode = "audit"   // it is put on record
)

// Words are the reasons that a policy may give, each with its mode. No other
// reason leaves it.
type Words map[gateway.Reason]Mode

// under returns the codes of that mode, sorted.
func (w Words) under(m Mode) []string {
	var out []string
	for code, mode := range w {
		if mode == m {
			out = append(out, string(code))
		}
	}
	slices.Sort(out)
	return out
}

// maxCode is how long a reason may be.
const maxCode = 64

// IsCode says whether s may be a policy's reason: lower case words joined by
// underscores. The prefix policy_ is the gateway's own, so that a reason always
// tells a rule's answer from the lack of one.
func IsCode(s string) bool {
	if s == "" || len(s) > maxCode || strings.HasPrefix(s, "policy_") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'
		if !letter && (i == 0 || !digit && c != '_') {
			return false
		}
	}
	return true
}

// collectWords compiles the closed vocabulary: the codes that stand in the policy
// as constants, and those that an annotation declares (custom.reasons), with the
// mode of each. A code that several rules give has the strictest of their modes.
func (b *build) collectWords() gateway.Problems {
	var ps gateway.Problems
	b.words = Words{}
	modes := map[string]Mode{}
	byData := b.dataModes(&ps)
	for name, m := range b.modules {
		if _, own := b.files.modules[name]; !own {
			continue
		}
		for code := range literals(m) {
			b.words[gateway.Reason(code)] = ModeEnforce
		}
		for _, a := range m.Annotations {
			for _, code := range declared(a) {
				b.words[gateway.Reason(code)] = ModeEnforce
			}
		}
		for _, r := range m.Rules {
			if isCodeSet(r) {
				ps = append(ps, b.ruleWords(m, r, byData, modes)...)
			}
		}
	}
	for code, mode := range modes {
		b.words[gateway.Reason(code)] = mode
	}
	if len(b.words.under(ModeWarn))+len(b.words.under(ModeAudit)) > 0 && !b.simple {
		ps = append(ps, gateway.Problem{Code: codeMode, Message: "modes weigh the codes of allow, deny and ask; a decision of one's own names what it only notes in warned and watched"})
	}
	return ps
}

// isCodeSet says whether a rule adds codes to one of the simple form's sets.
func isCodeSet(r *ast.Rule) bool {
	if r.Head.RuleKind() != ast.MultiValue {
		return false
	}
	return slices.ContainsFunc([]Phase{ruleDeny, ruleAsk, ruleWithhold}, func(p Phase) bool { return r.Ref().HasPrefix(entry(p)) })
}

// ruleWords are the codes of one rule and their mode.
func (b *build) ruleWords(m *ast.Module, r *ast.Rule, byData map[string]Mode, modes map[string]Mode) gateway.Problems {
	var codes []string
	for _, a := range r.Annotations {
		codes = append(codes, declared(a)...)
	}
	switch key := r.Head.Key.Value.(type) {
	case ast.String:
		codes = append(codes, string(key))
	default:
		if len(codes) == 0 {
			return gateway.Problems{b.files.modules.at(r.Location, codeReason,
				"a reason must be a constant, or the rule must declare its reasons: `# METADATA`, `# custom: {reasons: [a, b]}`")}
		}
	}
	mode, problem := b.modeOf(m, r)
	if problem != nil {
		return gateway.Problems{*problem}
	}
	if mode == "" {
		mode = byData["*"]
	}
	var ps gateway.Problems
	for _, code := range codes {
		if code == "" || !IsCode(code) {
			ps = append(ps, b.files.modules.at(r.Location, codeReason, fmt.Sprintf("%q is no reason: write lower-case words joined by underscores, at most %d characters; policy_ is the gateway's own", code, maxCode)))
			continue
		}
		its := mode
		if m, ok := byData[code]; ok {
			its = m
		}
		modes[code] = strictest(modes[code], its)
	}
	return ps
}

// modeOf is what the annotations of a rule, or else of its package, say.
func (b *build) modeOf(m *ast.Module, r *ast.Rule) (Mode, *gateway.Problem) {
	for _, a := range append(slices.Clone(r.Annotations), packageAnnotations(m)...) {
		v, ok := a.Custom["mode"]
		if !ok {
			continue
		}
		if mode, ok := asMode(v); ok {
			return mode, nil
		}
		p := b.files.modules.at(a.Location, codeMode, fmt.Sprintf("mode is %v; it must be enforce, warn or audit", v))
		return "", &p
	}
	return "", nil
}

func packageAnnotations(m *ast.Module) []*ast.Annotations {
	var out []*ast.Annotations
	for _, a := range m.Annotations {
		if a.Scope == "package" {
			out = append(out, a)
		}
	}
	return out
}

// dataModes reads data.mcp.modes: a mode by code, "*" for all others.
func (b *build) dataModes(ps *gateway.Problems) map[string]Mode {
	root, _ := b.files.data["mcp"].(map[string]any)
	given, _ := root["modes"].(map[string]any)
	out := make(map[string]Mode, len(given))
	for _, code := range slices.Sorted(maps.Keys(given)) {
		mode, ok := asMode(given[code])
		if !ok {
			*ps = append(*ps, gateway.Problem{Pos: gateway.Pos{File: b.files.dataFile}, Code: codeMode,
				Message: fmt.Sprintf("mcp.modes[%q] is %v; it must be enforce, warn or audit", code, given[code])})
		}
		out[code] = mode
	}
	return out
}

func asMode(v any) (Mode, bool) {
	s, _ := v.(string)
	m := Mode(s)
	return m, m == ModeEnforce || m == ModeWarn || m == ModeAudit
}

func strictest(a, b Mode) Mode {
	for _, m := range [...]Mode{ModeEnforce, ModeWarn, ModeAudit} {
		if a == m || b == m {
			return m
		}
	}
	return ModeEnforce
}

// declared are the reasons that an annotation names.
func declared(a *ast.Annotations) []string {
	list, _ := a.Custom["reasons"].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// literals are the codes that stand in a module as constants where a reason may:
// elements of sets, arrays and partial sets.
func literals(m *ast.Module) map[string]bool {
	out := map[string]bool{}
	add := func(t *ast.Term) {
		if s, ok := t.Value.(ast.String); ok && IsCode(string(s)) {
			out[string(s)] = true
		}
	}
	for _, r := range m.Rules {
		if r.Head.RuleKind() == ast.MultiValue && r.Head.Key != nil {
			add(r.Head.Key)
		}
	}
	ast.WalkTerms(m, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case *ast.Array:
			v.Foreach(add)
		case ast.Set:
			v.Foreach(add)
		}
		return false
	})
	return out
}
