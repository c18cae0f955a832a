package check

import (
	"context"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint"
	"mcp-gateway/rego/literals"
	"mcp-gateway/rego/names"
	"mcp-gateway/rego/policy"
	"mcp-gateway/rego/reads"
	"mcp-gateway/rego/written"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// Policy is a checked and compiled policy: one prepared query a phase, over one
// store. Its queries may be evaluated by many goroutines at once.
type Policy struct {
	Visible, Decision oparego.PreparedEvalQuery
	Result            *oparego.PreparedEvalQuery // nil: no rule is about results
	Data              storage.Transaction        // one read transaction for all: nobody writes
	Revision          string                     // "sha256:…" over names and contents of the files, or a bundle's own
	Reads             map[Phase]reads.Reads      // what each phase looks at
	Words             Words                      // the reasons that it may give
	Rules             []Rule                     // its rules, by file and line
	Literals          []string                   // the texts that stand in it and in its data
}

// Rule is one rule as its author wrote it.
type Rule struct {
	Pos  gateway.Pos
	Path string // such as data.mcp.gateway.deny
}

// build is a policy under its checks.
type build struct {
	files   *files
	modules map[string]*ast.Module
	store   storage.Store
	txn     storage.Transaction
	simple  bool // the decision is made from allow, deny and ask
	words   Words
}

// compilePolicy checks and prepares. It compiles everything against all phases'
// schemas joined, so that a mistyped field fails even in a rule that nothing uses
// yet; then what each entry point reaches against the schema of its phase alone,
// so that `visible` cannot read arguments. It is the latter that serve. After
// each compile the policy is walked for what OPA's checker lets pass.
func compilePolicy(ctx context.Context, f *files) (*Policy, error) {
	b := &build{files: f}
	if err := b.parse(); err != nil {
		return nil, err
	}
	b.store = inmem.NewFromObjectWithOpts(f.data, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))
	var err error
	if b.txn, err = b.store.NewTransaction(ctx); err != nil {
		return nil, f.modules.problems(err)
	}
	whole, err := b.compile(ctx, b.modules, true, contract.Phases()...)
	if err != nil {
		return nil, err
	}
	if ps := entryProblems(whole, f.modules); len(ps) > 0 {
		return nil, ps
	}
	if ps := slices.Concat(b.idle(whole), b.claims(whole), b.files.faults(written.Answers(whole, b.wrote))); len(ps) > 0 {
		return nil, inOrder(ps)
	}
	b.addReasons(whole)
	p := &Policy{Data: b.txn, Revision: f.revision, Reads: map[Phase]reads.Reads{}, Words: b.words, Rules: b.rules(), Literals: literals.Of(whole, f.data)}
	var problems gateway.Problems
	for _, phase := range asked(whole) {
		if err := b.prepare(ctx, p, whole, phase); err != nil {
			problems = append(problems, f.modules.problems(err)...)
		}
	}
	if len(problems) > 0 {
		return nil, inOrder(problems)
	}
	return p, nil
}

// compile compiles modules against the phases' input and walks them.
func (b *build) compile(ctx context.Context, modules map[string]*ast.Module, strict bool, phases ...Phase) (*ast.Compiler, error) {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, contract.ForChecker(phases...))
	c := ast.NewCompiler().WithCapabilities(Capabilities()).WithSchemas(schemas).
		WithStrict(strict).WithUseTypeCheckAnnotations(true).SetErrorLimit(0).
		WithPathConflictsCheck(storage.NonEmpty(ctx, b.store, b.txn))
	var lost []lint.Fault
	if strict {
		c.WithStageAfterID(names.Stage, ast.CompilerStageDefinition{Name: "CheckNames", MetricName: "check_names", Stage: func(c *ast.Compiler) *ast.Error {
			lost = names.Unresolved(c, b.files.data, policy.Packages())
			return nil
		}})
	}
	c.Compile(modules)
	problems := b.files.faults(lost)
	if c.Failed() {
		return nil, inOrder(append(problems, b.files.modules.beside(problems, c.Errors)...))
	}
	problems = append(problems, b.files.faults(lint.Check(c, contract.Input(phases...)))...)
	if len(problems) > 0 {
		return nil, inOrder(problems)
	}
	return c, nil
}

// idle says which rules decide nothing.
func (b *build) idle(c *ast.Compiler) gateway.Problems {
	var entries []ast.Ref
	for _, phase := range asked(c) {
		entries = append(entries, entry(phase))
	}
	return b.files.faults(names.Idle(c, b.wrote, names.Reached(c, entries...)))
}

// wrote says whether the author wrote a file.
func (b *build) wrote(file string) bool { _, ok := b.files.modules[file]; return ok }

// prepare makes the query of one phase.
func (b *build) prepare(ctx context.Context, p *Policy, whole *ast.Compiler, phase Phase) error {
	c, err := b.compile(ctx, reachable(whole, b.modules, phase), false, phase)
	if err != nil {
		return err
	}
	query, err := oparego.New(oparego.ParsedQuery(ast.NewBody(ast.NewExpr(ast.NewTerm(entry(phase))))),
		oparego.Compiler(c), oparego.Store(b.store), oparego.Transaction(b.txn), oparego.StrictBuiltinErrors(true),
	).PrepareForEval(ctx)
	if err != nil {
		return err
	}
	p.Reads[phase] = reads.Of(c)
	switch phase {
	case contract.PhaseVisible:
		p.Visible = query
	case contract.PhaseDecision:
		p.Decision = query
	case contract.PhaseResult:
		p.Result = &query
	}
	return nil
}

// rules lists what the author wrote.
func (b *build) rules() []Rule {
	var out []Rule
	for name, m := range b.modules {
		if _, own := b.files.modules[name]; !own {
			continue
		}
		for _, r := range m.Rules {
			out = append(out, Rule{position(r.Location), r.Ref().String()})
		}
	}
	return sortRules(out)
}
