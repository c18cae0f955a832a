package rego

import (
	"context"
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Result is what came back from a call, cleaned, as policy is asked about it.
type Result struct {
	IsError    bool     // the upstream itself refused
	Bytes      int      // of the cleaned result
	Redactions []string // classes of secrets that were replaced, sorted
	Structured []byte   // structuredContent: strictly checked JSON; nil = none
	Texts      []string // every text block
}

// Release is what policy says of a result.
type Release string

// What may be said. The zero value is none of them and is treated as Withhold.
const (
	ReleaseWhole Release = "release"
	Redact       Release = "redact" // without what Paths name
	Withhold     Release = "withhold"
)

// Verdict is policy's answer about one result.
type Verdict struct {
	Effect  Release
	Reasons []gateway.Reason // of Withhold: at least one
	Paths   []string         // of Redact: JSON Pointers into structuredContent
	Err     error            // why evaluation gave no answer; for the operator's log, never sent
}

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
	q := question{e.subjects.get(p).term, r, *c}
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
	return e.verdictOf(answered)
}

func (r *Result) term() (*ast.Term, error) {
	lines := make([]*ast.Term, len(r.Texts))
	for i, text := range r.Texts {
		lines[i] = ast.StringTerm(text)
	}
	members := []member{
		flag("is_error", r.IsError), count("bytes", r.Bytes), texts("redactions", r.Redactions),
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

// verdictOf reads a result object: effect and reasons, and paths with redact.
func (e *Engine) verdictOf(v ast.Value) (Verdict, error) {
	obj, ok := v.(ast.Object)
	if !ok {
		return Verdict{}, fmt.Errorf("%w: result is not an object", errShape)
	}
	effect, reasons, paths := obj.Get(names.effect), obj.Get(names.reasons), obj.Get(names.paths)
	if effect == nil || reasons == nil {
		return Verdict{}, fmt.Errorf("%w: result must have effect and reasons", errShape)
	}
	var out Verdict
	word, _ := effect.Value.(ast.String)
	out.Effect = Release(word)
	if err := codes(reasons.Value, e.policy.Words, &out.Reasons); err != nil {
		return Verdict{}, err
	}
	members := 2
	if out.Effect == Redact && paths != nil {
		members++
		r := owed{o: obj}
		if out.Paths = r.pointers("paths"); r.err != nil {
			return Verdict{}, fmt.Errorf("%w: result: %s", errShape, r.err)
		}
	}
	switch {
	case obj.Len() != members,
		out.Effect == Redact && paths == nil,
		out.Effect == Withhold && len(out.Reasons) == 0,
		out.Effect != Redact && out.Effect != Withhold && out.Effect != ReleaseWhole:
		return Verdict{}, fmt.Errorf("%w: result is none of release, redact with paths, withhold with reasons", errShape)
	}
	return out, nil
}
