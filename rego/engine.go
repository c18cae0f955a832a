package rego

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/answer"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/parts"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Engine answers from one loaded policy. It never changes and may be used by
// many goroutines at once; a new policy is a new Engine.
type Engine struct {
	policy   *check.Policy
	timeout  time.Duration
	now      func() time.Time
	needs    Needs // of the decision
	after    Needs // of the result phase
	memo     *memo // nil: decisions are not kept
	subjects *subjects
	inputs   *lru.Cache[keptKey, gateway.Digest]
	none     bool   // there is no policy
	told     func() // of each evaluation; nil for none
}

func newEngine(p *check.Policy, o Options) (*Engine, error) {
	reads := p.Reads[PhaseDecision]
	s, err := newSubjects(parts.Of(reads))
	if err != nil {
		return nil, err
	}
	e := &Engine{
		policy: p, timeout: o.Timeout, now: o.Now, subjects: s, told: o.Evaluated,
		needs: needsOf(reads), after: needsOf(p.Reads[PhaseResult]),
	}
	if e.inputs, err = lru.New[keptKey, gateway.Digest](keptInputs); err != nil {
		return nil, err
	}
	if !o.Uncached {
		e.memo, err = newMemo(reads)
	}
	return e, err
}

// Revision returns "sha256:" and the digest over the names and contents of the
// policy's files.
func (e *Engine) Revision() string { return e.policy.Revision }

// Literals are the texts that stand in the policy and its data, where what is visible
// depends on a part of the subject's properties, such as groups; else nil.
func (e *Engine) Literals(part string) []string {
	if !e.policy.Reads[PhaseVisible].Any("subject.properties." + part) {
		return nil
	}
	return e.policy.Literals
}

// Visible says of each resource whether the principal may know of it, in one
// evaluation: element i is about resources[i]. Ids that policy returns beside
// those asked about are passed over. The answer depends on the policy, the
// principal and the resources alone, so it may be kept until one of them
// changes. On an error nothing is visible: a *gateway.Error,
// CodePolicyUnavailable with one of the ReasonPolicy codes.
func (e *Engine) Visible(ctx context.Context, p *gateway.Principal, resources []*Resource) ([]bool, error) {
	seen, err := e.visible(ctx, p, resources)
	if err != nil {
		return nil, gateway.Because(gateway.CodePolicyUnavailable, err, reasonOf(err))
	}
	return seen, nil
}

func (e *Engine) visible(ctx context.Context, p *gateway.Principal, resources []*Resource) (seen []bool, err error) {
	defer contain(&err)
	items := make([]member, len(resources))
	for i, r := range resources {
		items[i] = member{r.key, r.facts}
	}
	asked, ok := object(items)
	if !ok {
		return nil, errTwice
	}
	v, err := e.evaluate(ctx, e.timeout*time.Duration(1+len(resources)/perTimeout), &e.policy.Visible, ast.NewObject(
		member{names.subject, e.subjects.get(p).term},
		member{names.action, names.list},
		member{names.resources, ast.NewTerm(asked)},
	))
	if err != nil {
		return nil, err
	}
	ids, ok := v.(ast.Set)
	if !ok {
		return nil, fmt.Errorf("%w: visible is not a set", answer.ErrShape)
	}
	seen = make([]bool, len(resources))
	for i, r := range resources {
		seen[i] = ids.Contains(r.key)
	}
	return seen, nil
}

// Decide asks whether the principal may call the resource with these arguments
// (strictly checked JSON, an object; empty = none). Whatever goes wrong is a
// denial whose reason and Err say so. It does not ask for visible: who calls it
// has done so. An answer is kept where it can depend on nothing that changes, and
// given again for exactly the same question.
func (e *Engine) Decide(ctx context.Context, p *gateway.Principal, r *Resource, args []byte, c Context) Decision {
	d, err := e.decide(ctx, p, r, args, &c)
	d.Revision = e.policy.Revision
	if err != nil {
		d.Effect, d.Reasons, d.Err = gateway.Deny, []gateway.Reason{reasonOf(err)}, err
		d.Obligations, d.Warned, d.Watched = gateway.Obligations{}, nil, nil
		return d
	}
	d.approve(c.Approval, c.Time)
	if d.Effect == gateway.Allow || d.Approved {
		d.permit = Permit{valid: true, id: r.id, definition: r.definition, arguments: sha256.Sum256(args), revision: e.policy.Revision}
	}
	return d
}

func (e *Engine) decide(ctx context.Context, p *gateway.Principal, r *Resource, args []byte, c *Context) (d Decision, err error) {
	defer contain(&err)
	c.Action = cmp.Or(c.Action, protocol.MethodToolsCall)
	who := e.subjects.know(p)
	d.asked = question{who, e.subjects, r, *c, e.inputs}
	var a *answer.Answer
	if e.memo == nil {
		a, err = e.ask(ctx, &d.asked, args)
	} else {
		key := e.memo.key(&who, r, args, c)
		var kept bool
		if a, kept = e.memo.get(&key); !kept {
			if a, err = e.ask(ctx, &d.asked, args); err == nil {
				e.memo.put(&key, a)
			}
		}
	}
	if err != nil {
		return d, err
	}
	d.Effect, d.Reasons, d.Obligations, d.Warned, d.Watched = a.Effect, a.Reasons, a.Obligations, a.Warned, a.Watched
	return d, nil
}

// ask evaluates the decision.
func (e *Engine) ask(ctx context.Context, q *question, args []byte) (*answer.Answer, error) {
	var arguments, responses *ast.Term
	var err error
	if e.needs.Arguments {
		if arguments, err = readArguments(args); err != nil {
			return nil, err
		}
	}
	if e.needs.Responses && len(q.context.Responses) > 0 {
		if responses, err = readArguments(q.context.Responses); err != nil {
			return nil, err
		}
	}
	v, err := e.evaluate(ctx, e.timeout, &e.policy.Decision, q.input(arguments, q.context.term(&e.needs, responses)))
	if err != nil {
		return nil, err
	}
	return answer.Of(v, e.policy.Words)
}

// contain makes a panic an error, and so a denial.
func contain(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", errPanic, r)
	}
}

var (
	errUndefined = errors.New("rego: policy gave no answer")
	errTimeout   = errors.New("rego: policy ran over its time")
	errTwice     = errors.New("rego: two resources have one id")
	errAbsent    = errors.New("rego: there is no policy")
	errPanic     = errors.New("rego: evaluation panicked")
)

// perTimeout is how many resources a list may ask about within one timeout: one
// evaluation answers for all of them, and its cost grows with their number.
const perTimeout = 100

// evaluate runs one query within a time. The deadline is read by the evaluator itself as it
// goes, so no goroutine and no timer is needed.
func (e *Engine) evaluate(ctx context.Context, within time.Duration, query *oparego.PreparedEvalQuery, input ast.Value) (ast.Value, error) {
	if e.none {
		return nil, errAbsent
	}
	if e.told != nil {
		e.told()
	}
	began := e.now()
	w := watch{ctx: ctx, now: e.now, within: within, last: began, until: began.Add(patience * within)}
	rs, err := query.Eval(ctx, oparego.EvalParsedInput(input), oparego.EvalTransaction(e.policy.Data),
		oparego.EvalMetrics(metrics.NoOp()), oparego.EvalExternalCancel(&w), oparego.EvalGenerateJSON(asTerm))
	switch {
	case w.why != nil:
		return nil, w.why
	case err != nil:
		return nil, err
	case len(rs) == 0:
		return nil, errUndefined
	}
	return rs[0].Expressions[0].Value.(*ast.Term).Value, nil
}

// asTerm keeps a result as the term it is.
func asTerm(t *ast.Term, _ *oparego.EvalContext) (any, error) { return t, nil }

// What an evaluation may take. Its time is that in which it works: on a machine with
// more to do than it has processors, a decision of microseconds may wait for tens of
// milliseconds, and must not be refused for that. So of the time between two looks at
// the clock, which lie microseconds apart while it works, no more than a share counts;
// and all of it together, waiting included, is bounded as well.
const (
	share    = 8  // between two looks counts at most within/share
	patience = 20 // all of it takes at most patience*within
)

// watch is the evaluator's topdown.Cancel: it asks the clock and the context on
// every sixteenth step. It is used by one goroutine only.
type watch struct {
	ctx    context.Context
	now    func() time.Time
	within time.Duration
	last   time.Time // when it looked last
	worked time.Duration
	until  time.Time
	steps  int
	why    error
}

// Cancel implements topdown.Cancel.
func (w *watch) Cancel() { w.why = context.Canceled }

// Cancelled implements topdown.Cancel.
func (w *watch) Cancelled() bool {
	if w.steps++; w.why != nil || w.steps&15 != 1 {
		return w.why != nil
	}
	at := w.now()
	w.worked += min(at.Sub(w.last), w.within/share)
	w.last = at
	switch {
	case w.ctx.Err() != nil:
		w.why = w.ctx.Err()
	case w.worked > w.within || at.After(w.until):
		w.why = errTimeout
	}
	return w.why != nil
}

// reasonOf gives each way of not answering its own code.
func reasonOf(err error) gateway.Reason {
	var failed *topdown.Error
	switch {
	case errors.Is(err, errAbsent):
		return gateway.ReasonPolicyAbsent
	case errors.Is(err, errUndefined):
		return gateway.ReasonPolicyUndefined
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return gateway.ReasonPolicyTimeout
	case errors.Is(err, context.Canceled):
		return gateway.ReasonPolicyCancelled
	case errors.Is(err, errTooManyValues):
		return gateway.ReasonArgumentsTooLarge
	case errors.Is(err, errNotArguments):
		return gateway.ReasonMalformed
	case errors.As(err, &failed) && failed.Code == topdown.ConflictErr:
		return gateway.ReasonPolicyConflict
	default:
		return gateway.ReasonPolicyError
	}
}
