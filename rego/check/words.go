package check

import (
	"fmt"
	"maps"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/flow"
	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Mode, Words and the modes are those of package contract.
type (
	Mode  = contract.Mode
	Words = contract.Words
)

// The modes, from the strictest.
const (
	ModeEnforce = contract.ModeEnforce
	ModeWarn    = contract.ModeWarn
	ModeAudit   = contract.ModeAudit
)

// collectWords compiles the closed vocabulary, as far as it is the simple form's: the
// codes that rules of allow, deny, ask and withhold give, and those that an annotation
// declares (custom.reasons), with the mode of each. A code that several rules give has
// the strictest of their modes.
func (b *build) collectWords() gateway.Problems {
	var ps gateway.Problems
	b.words = Words{}
	modes := map[string]Mode{}
	byData := b.dataModes(&ps)
	for name, m := range b.modules {
		if _, own := b.files.modules[name]; !own {
			continue
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
	ps = append(ps, b.strangers(byData, modes)...)
	for code, mode := range modes {
		b.words[gateway.Reason(code)] = mode
	}
	if len(b.words.Under(ModeWarn))+len(b.words.Under(ModeAudit)) > 0 && !b.simple {
		ps = append(ps, gateway.Problem{Code: codeMode, Message: "modes weigh the codes of allow, deny and ask; a decision of one's own names what it only notes in warned and watched"})
	}
	return ps
}

// strangers are the codes that data gives a mode and no rule gives: a mistyped one would
// leave the rule in another mode than its author thinks.
func (b *build) strangers(byData, modes map[string]Mode) gateway.Problems {
	var ps gateway.Problems
	have := slices.Sorted(maps.Keys(modes))
	for _, code := range slices.Sorted(maps.Keys(byData)) {
		if _, given := modes[code]; given || code == "*" || !b.simple {
			continue
		}
		ps = append(ps, gateway.Problem{Pos: gateway.Pos{File: b.files.dataFile}, Code: codeMode,
			Message: fmt.Sprintf("mcp.modes[%q]: no rule gives this code%s", code, lint.Meant(code, have))})
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
		if code == "" || !contract.IsCode(code) {
			ps = append(ps, b.files.modules.at(r.Location, codeReason, fmt.Sprintf("%q is no reason: write lower-case words joined by underscores, at most %d characters; policy_ is the gateway's own", code, contract.MaxCode)))
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

// addReasons adds to the vocabulary what a decision or result that the author wrote
// out may give as a reason. Where that cannot be followed to its constants, it is any
// code that stands where a reason may.
func (b *build) addReasons(c *ast.Compiler) {
	add := func(codes []string) {
		for _, code := range codes {
			if _, has := b.words[gateway.Reason(code)]; !has && contract.IsCode(code) {
				b.words[gateway.Reason(code)] = ModeEnforce
			}
		}
	}
	followed := true
	for _, phase := range []Phase{contract.PhaseDecision, contract.PhaseResult} {
		if !b.has(phase) {
			continue
		}
		for _, member := range []string{"reasons", "warned", "watched"} {
			words, whole := flow.Words(c, append(entry(phase), ast.StringTerm(member), ast.VarTerm("_")))
			add(words)
			followed = followed && whole
		}
	}
	if followed {
		return
	}
	for name := range b.files.modules {
		add(flow.Literals(b.modules[name]))
	}
}
