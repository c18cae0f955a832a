package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/answer"
	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Replayed is what a policy would decide of a call of which only the
// argument-free input is left.
type Replayed struct {
	*answer.Answer
	Undecidable string // the part of the input that it looked at and that is not kept; "" = none
	By          Fired  // the rule that looked at it, and where; without a title
}

// Replay decides anew, as of that time. What the evaluation looks at on its way is
// watched: if it comes to a part of the input that is not kept, its answer is
// worth nothing and is not given. arguments are those of the call where they are kept
// apart; nil where they are not.
func Replay(ctx context.Context, p *check.Policy, input, arguments []byte, at time.Time) (Replayed, error) {
	w := &watcher{absent: absent, rules: map[uint64]*ast.Rule{}}
	asked, err := dated(input, at)
	if err == nil && arguments != nil {
		w.absent = absent[1:]
		asked, err = argued(asked, arguments)
	}
	if err != nil {
		return Replayed{}, err
	}
	results, err := p.Decision.Eval(ctx, oparego.EvalParsedInput(asked), oparego.EvalTransaction(p.Data),
		oparego.EvalRuleIndexing(false), oparego.EvalQueryTracer(w),
		oparego.EvalGenerateJSON(func(t *ast.Term, _ *oparego.EvalContext) (any, error) { return t, nil }))
	switch {
	case w.seen != "":
		return Replayed{Undecidable: w.seen, By: w.by}, nil
	case err != nil:
		return Replayed{}, err
	case len(results) == 0:
		return Replayed{Answer: &answer.Answer{Effect: "deny", Reasons: undefined}}, nil
	}
	a, err := answer.Of(results[0].Expressions[0].Value.(*ast.Term).Value, p.Words)
	return Replayed{Answer: a}, err
}

// dated puts the time of the decision into its context.
func dated(raw []byte, at time.Time) (ast.Value, error) {
	input, err := ast.ValueFromReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	when := ast.NewObject(ast.Item(ast.StringTerm("context"), ast.ObjectTerm(
		ast.Item(ast.StringTerm("time"), ast.StringTerm(at.UTC().Format(time.RFC3339Nano))))))
	object, ok := input.(ast.Object)
	if !ok {
		return nil, answer.ErrShape
	}
	both, ok := object.Merge(when)
	if !ok {
		return nil, answer.ErrShape
	}
	return both, nil
}

// argued puts the arguments of the call into its resource.
func argued(input ast.Value, raw []byte) (ast.Value, error) {
	arguments, err := ast.ValueFromReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	object, ok := input.(ast.Object)
	if !ok {
		return nil, answer.ErrShape
	}
	both, ok := object.Merge(ast.NewObject(ast.Item(ast.StringTerm("resource"), ast.ObjectTerm(
		ast.Item(ast.StringTerm("arguments"), ast.NewTerm(arguments))))))
	if !ok {
		return nil, answer.ErrShape
	}
	return both, nil
}

// At returns an input with the time of its decision, as JSON.
func At(raw []byte, at time.Time) ([]byte, error) {
	v, err := dated(raw, at)
	if err != nil {
		return nil, err
	}
	whole, err := ast.JSON(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

// watcher notes the first look at what is not kept.
type watcher struct {
	absent []ast.Ref
	seen   string
	by     Fired
	rules  map[uint64]*ast.Rule // by the query that evaluates its body
}

// Enabled implements topdown.QueryTracer.
func (*watcher) Enabled() bool { return true }

// Config implements topdown.QueryTracer.
func (*watcher) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements topdown.QueryTracer. Every expression is traced before it
// is evaluated, since nothing is left to the rule index.
func (w *watcher) TraceEvent(e topdown.Event) {
	if r, ok := e.Node.(*ast.Rule); ok && e.Op == topdown.EnterOp && w.seen == "" {
		w.rules[e.QueryID] = r
	}
	expr, ok := e.Node.(*ast.Expr)
	if !ok || w.seen != "" || e.Op != topdown.EvalOp {
		return
	}
	ast.WalkRefs(expr, func(r ast.Ref) bool {
		for _, path := range w.absent {
			if w.seen == "" && r[0].Value.Compare(ast.InputRootDocument.Value) == 0 && (r.HasPrefix(path) || path.HasPrefix(r)) {
				w.seen, w.by = path.String(), w.looked(&e, expr)
			}
		}
		return false
	})
}

// looked says which rule an expression stands in, and where.
func (w *watcher) looked(e *topdown.Event, expr *ast.Expr) (by Fired) {
	rule := w.rules[e.QueryID]
	if rule == nil {
		rule = w.rules[e.ParentID] // it stands in a comprehension
	}
	if rule != nil {
		by.Rule = rule.Ref().String()
	}
	if at := expr.Location; at != nil {
		by.Pos = gateway.Pos{File: at.File, Line: at.Row, Col: at.Col}
	}
	return by
}

// undefined is the reason of a policy that gives no answer.
var undefined = []gateway.Reason{gateway.ReasonPolicyUndefined}

// Arguments is the part of an input that may be kept apart.
const Arguments = "input.resource.arguments"

// absent are the parts of an input that are not kept. Arguments come first.
var absent = []ast.Ref{
	ast.MustParseRef(Arguments),
	ast.MustParseRef("input.context.approval"),
	ast.MustParseRef("input.context.history"),
	ast.MustParseRef("input.context.host_untrusted"),
	ast.MustParseRef("input.context.server_untrusted"),
	ast.MustParseRef("input.context.responses_untrusted"),
}
