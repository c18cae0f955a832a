package check

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Codes of problems that the gateway finds beside OPA's own (rego_parse_error,
// rego_type_error, rego_unsafe_var_error, …).
const (
	codeUnreadable   = "policy_unreadable"
	codeEmpty        = "policy_empty"
	codeEntryMissing = "policy_entry_missing"
	codeEntryShape   = "policy_entry_shape"
	codeData         = "policy_data_error"
	codeInternal     = "policy_internal_error"
	codeReason       = "policy_reason"
	codeMode         = "policy_mode"
)

// sources are the texts of a policy's files by the name they were parsed under.
type sources map[string]string

// problems makes OPA's errors positioned Problems: sorted, each once.
func (s sources) problems(err error) gateway.Problems {
	if ps, ok := errors.AsType[gateway.Problems](err); ok {
		return ps
	}
	list, ok := errors.AsType[ast.Errors](err)
	if !ok {
		one, ok := errors.AsType[*ast.Error](err)
		if !ok {
			return gateway.Problems{{Code: codeInternal, Message: err.Error()}}
		}
		list = ast.Errors{one}
	}
	var out gateway.Problems
	for _, e := range list {
		out = append(out, s.problem(e))
	}
	return inOrder(out)
}

func (s sources) problem(e *ast.Error) gateway.Problem {
	p := gateway.Problem{Code: e.Code, Message: e.Message}
	if e.Details != nil && e.Code == ast.TypeErr {
		p.Message += meant(e.Details) + haveWant(e.Details.Lines())
	}
	if e.Location != nil {
		p.Pos = position(e.Location)
		p.Excerpt = s.excerpt(p.Pos)
	}
	return p
}

// at is a problem with its place.
func (s sources) at(where *ast.Location, code, message string) gateway.Problem {
	pos := position(where)
	return gateway.Problem{Pos: pos, Code: code, Message: message, Excerpt: s.excerpt(pos)}
}

// faults are those of a pass of our own, with their places.
func (f *files) faults(list []lint.Fault) gateway.Problems {
	var ps gateway.Problems
	for _, fault := range list {
		ps = append(ps, f.modules.at(fault.Location, fault.Code, fault.Message))
	}
	return ps
}

// beside are the compiler's errors, but for what one of ours says in more words: that
// a function is not there.
func (s sources) beside(ours gateway.Problems, errs ast.Errors) gateway.Problems {
	return s.problems(slices.DeleteFunc(slices.Clone(errs), func(e *ast.Error) bool {
		return e.Code == ast.TypeErr && e.Details == nil && e.Location != nil && slices.ContainsFunc(ours, func(p gateway.Problem) bool {
			return p.Pos.File == e.Location.File && p.Pos.Line == e.Location.Row
		})
	}))
}

// meant says which name of those that are there is nearest to one that is not.
func meant(details ast.ErrorDetails) string {
	d, ok := details.(*ast.RefErrInvalidDetail)
	if !ok || d.Pos >= len(d.Ref) {
		return ""
	}
	word, ok := d.Ref[d.Pos].Value.(ast.String)
	if !ok {
		return ""
	}
	var have []string
	for _, v := range d.OneOf {
		if s, ok := v.(ast.String); ok {
			have = append(have, string(s))
		}
	}
	out := lint.Meant(string(word), have)
	if out == "" && d.Ref[0].Value.Compare(ast.InputRootDocument.Value) == 0 {
		return contract.Elsewhere(string(word))
	}
	return out
}

// haveWant keeps of a type error's details what was found and what was
// expected; the drawing around it is replaced by the excerpt.
func haveWant(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		name, rest, ok := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); {
		case !ok:
		case name == "left", name == "right", strings.HasPrefix(name, "have"), strings.HasPrefix(name, "want"):
			b.WriteString("; " + name + ": " + strings.TrimSpace(rest))
		}
	}
	return b.String()
}

// excerpt returns the line at pos and a caret below its column.
func (s sources) excerpt(pos gateway.Pos) string {
	lines := strings.Split(s[pos.File], "\n")
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	line := strings.TrimRight(lines[pos.Line-1], "\r")
	before := line[:min(max(pos.Col-1, 0), len(line))]
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
	return line + "\n" + indent + "^"
}

// inOrder sorts problems by position and drops repetitions.
func inOrder(ps gateway.Problems) gateway.Problems {
	slices.SortStableFunc(ps, func(a, b gateway.Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(ps, func(a, b gateway.Problem) bool { return a.Pos == b.Pos && a.Message == b.Message })
}
