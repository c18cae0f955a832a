package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Fired is one rule that took part in an answer: its body was true.
type Fired struct {
	Pos   gateway.Pos
	Rule  string
	Title string // of its annotation, if it has one
}

// Answer is the answer to one question.
type Answer struct {
	Value []byte  // JSON; nil = the policy gives none
	Fired []Fired // in the order in which they were met, each once
	Trace string  // how it came about, as OPA prints it; only where it was asked for
}

// Eval asks a phase of a policy one question. input is strictly checked JSON.
func Eval(ctx context.Context, p *check.Policy, phase contract.Phase, input []byte, trace bool) (*Answer, error) {
	query := map[contract.Phase]*oparego.PreparedEvalQuery{
		contract.PhaseVisible: &p.Visible, contract.PhaseDecision: &p.Decision, contract.PhaseResult: p.Result,
	}[phase]
	if query == nil {
		return nil, fmt.Errorf("the policy has no rule data.mcp.gateway.%s", phase)
	}
	value, err := ast.ValueFromReader(bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	tracer := topdown.NewBufferTracer()
	results, err := query.Eval(ctx, oparego.EvalParsedInput(value), oparego.EvalTransaction(p.Data), oparego.EvalQueryTracer(tracer))
	if err != nil {
		return nil, err
	}
	a := &Answer{Fired: fired(*tracer)}
	if trace {
		var b bytes.Buffer
		topdown.PrettyTraceWithLocation(&b, *tracer)
		a.Trace = b.String()
	}
	if len(results) > 0 {
		if a.Value, err = json.Marshal(results[0].Expressions[0].Value); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// fired are the rules whose bodies were true.
func fired(events []*topdown.Event) []Fired {
	var out []Fired
	seen := map[Fired]bool{}
	for _, e := range events {
		r, ok := e.Node.(*ast.Rule)
		if !ok || e.Op != topdown.ExitOp || r.Location == nil {
			continue
		}
		f := Fired{gateway.Pos{File: r.Location.File, Line: r.Location.Row, Col: r.Location.Col}, r.Ref().String(), title(r)}
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

func title(r *ast.Rule) string {
	for _, a := range r.Annotations {
		if a.Title != "" {
			return a.Title
		}
	}
	return ""
}
