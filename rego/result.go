package rego

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/answer"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Result is what came back from a call, cleaned, as policy is asked about it.
type Result struct {
	IsError    bool     // the upstream itself refused
	Bytes      int      // of the cleaned result
	Redactions []string // classes of secrets that were replaced, sorted
	Findings   []string // codes of what was found in it, sorted
	Structured []byte   // structuredContent: strictly checked JSON; nil = none
	Texts      []string // every text block
}

// Verdict is policy's answer about one result.
type Verdict = answer.Verdict

// What may be said of a result.
const (
	ReleaseWhole = answer.ReleaseWhole
	Redact       = answer.Redact
	Withhold     = answer.Withhold
)

// JudgesResults says whether the policy has a rule about results. Without one
// JudgeResult must not be asked.
func (e *Engine) JudgesResults() bool { return e.policy.Result != nil }

// JudgeResult asks whether a result may be released. Whatever goes wrong
// withholds it, by a reason that says so.
func (e *Engine) JudgeResult(ctx context.Context, p *gateway.Principal, r *Resource, c Context, res *Result) Verdict {
	v, err := e.judge(ctx, p, r, &c, res)
	if err != nil {
		return Verdict{Effect: Withhold, Reasons: []gateway.Reason{reasonOf(err)}, Err: err}
	}
	return v
}

func (e *Engine) judge(ctx context.Context, p *gateway.Principal, r *Resource, c *Context, res *Result) (v Verdict, err error) {
	defer contain(&err)
	if e.policy.Result == nil {
		return v, errUndefined
	}
	if c.Action == "" {
		c.Action = protocol.MethodToolsCall
	}
	q := question{e.subjects.know(p), e.subjects, r, *c, nil}
	input := q.input(nil, c.term(&e.after, nil)).(ast.Object)
	came, err := res.term()
	if err != nil {
		return v, err
	}
	input.Insert(names.result, came)
	answered, err := e.evaluate(ctx, e.timeout, e.policy.Result, input)
	if err != nil {
		return v, err
	}
	return answer.VerdictOf(answered, e.policy.Words)
}

func (r *Result) term() (*ast.Term, error) {
	lines := make([]*ast.Term, len(r.Texts))
	for i, text := range r.Texts {
		lines[i] = ast.StringTerm(text)
	}
	members := []member{
		flag("is_error", r.IsError), count("bytes", r.Bytes), texts("redactions", r.Redactions), texts("findings", r.Findings),
		{ast.StringTerm("text_untrusted"), ast.ArrayTerm(lines...)},
	}
	if r.Structured != nil {
		structured, err := readValue(r.Structured)
		if err != nil {
			return nil, err
		}
		members = append(members, member{ast.StringTerm("structured_untrusted"), structured})
	}
	return ast.ObjectTerm(members...), nil
}
