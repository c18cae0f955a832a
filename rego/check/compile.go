package check

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/gateway"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/types"
)

//go:embed simple.rego
var simpleForm string

// simpleFile is the name under which the simple form's module is compiled.
const simpleFile = "(mcp-gateway simple form)"

// Policy is a checked and compiled policy: one prepared query a phase, over one
// store. Its queries may be evaluated by many goroutines at once.
type Policy struct {
	Visible, Decision oparego.PreparedEvalQuery
	Data              storage.Transaction // one read transaction for all: nobody writes
	Revision          string              // "sha256:…" over names and contents of the files
}

// compilePolicy checks and prepares. It compiles three times: everything
// against both schemas joined, so that a mistyped field fails even in a rule
// that nothing uses yet; then what each entry point reaches against the schema
// of its phase alone, so that `visible` cannot read arguments. The second and
// third are the ones that serve.
func compilePolicy(ctx context.Context, f *files) (*Policy, error) {
	modules, err := parsePolicy(f.modules)
	if err != nil {
		return nil, err
	}
	store := inmem.NewFromObjectWithOpts(f.data, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, f.modules.problems(err)
	}
	check := func(modules map[string]*ast.Module, schema any, strict bool) (*ast.Compiler, error) {
		schemas := ast.NewSchemaSet()
		schemas.Put(ast.SchemaRootRef, schema)
		c := ast.NewCompiler().WithCapabilities(Capabilities()).WithSchemas(schemas).
			WithStrict(strict).WithUseTypeCheckAnnotations(true).SetErrorLimit(0).
			WithPathConflictsCheck(storage.NonEmpty(ctx, store, txn))
		if c.Compile(modules); c.Failed() {
			return nil, f.modules.problems(c.Errors)
		}
		return c, nil
	}
	whole, err := check(modules, checkerSchema(PhaseVisible, PhaseDecision), true)
	if err != nil {
		return nil, err
	}
	if ps := entryProblems(whole, f.modules); len(ps) > 0 {
		return nil, ps
	}
	p := &Policy{Data: txn, Revision: f.revision}
	var problems gateway.Problems
	for phase, query := range map[Phase]*oparego.PreparedEvalQuery{PhaseVisible: &p.Visible, PhaseDecision: &p.Decision} {
		c, err := check(reachable(whole, modules, phase), checkerSchema(phase), false)
		if err != nil {
			problems = append(problems, err.(gateway.Problems)...)
			continue
		}
		*query, err = oparego.New(oparego.ParsedQuery(ast.NewBody(ast.NewExpr(ast.NewTerm(entry(phase))))),
			oparego.Compiler(c), oparego.Store(store), oparego.Transaction(txn), oparego.StrictBuiltinErrors(true),
		).PrepareForEval(ctx)
		if err != nil {
			problems = append(problems, f.modules.problems(err)...)
		}
	}
	if len(problems) > 0 {
		return nil, inOrder(problems)
	}
	return p, nil
}

// parsePolicy parses every file, and adds the simple form where package
// mcp.gateway has no decision of its own but an allow.
func parsePolicy(texts sources) (map[string]*ast.Module, error) {
	var problems gateway.Problems
	modules := map[string]*ast.Module{}
	decides, allows := false, false // package mcp.gateway has such rules
	for name, text := range texts {
		m, err := ast.ParseModuleWithOpts(name, text, ast.ParserOptions{ProcessAnnotation: true, Capabilities: Capabilities()})
		if err != nil {
			problems = append(problems, texts.problems(err)...)
			continue
		}
		modules[name] = m
		for _, r := range m.Rules {
			decides = decides || r.Ref().HasPrefix(entry(PhaseDecision))
			allows = allows || r.Ref().HasPrefix(entry("allow"))
		}
	}
	if len(problems) > 0 {
		return nil, inOrder(problems)
	}
	if allows && !decides {
		if ps := simpleProblems(modules, texts); len(ps) > 0 {
			return nil, ps
		}
		m, err := ast.ParseModuleWithOpts(simpleFile, simpleForm, ast.ParserOptions{})
		if err != nil {
			return nil, texts.problems(err)
		}
		modules[simpleFile] = m
	}
	return modules, nil
}

// simpleProblems says which rules of the simple form are of another shape. OPA
// would only say that they conflict with rules that the author never saw.
func simpleProblems(modules map[string]*ast.Module, texts sources) gateway.Problems {
	var ps gateway.Problems
	for _, m := range modules {
		for _, r := range m.Rules {
			set := r.Head.RuleKind() == ast.MultiValue
			var message string
			switch {
			case r.Ref().HasPrefix(entry("allow")) && (set || len(r.Ref()) != len(entry("allow"))):
				message = "allow must be true or false: write `allow if …`"
			case r.Ref().HasPrefix(entry("deny")) && !set, r.Ref().HasPrefix(entry("ask")) && !set:
				message = "deny and ask must be sets of codes: write `deny contains \"code\" if …`"
			default:
				continue
			}
			pos := gateway.Pos{File: r.Location.File, Line: r.Location.Row, Col: r.Location.Col}
			ps = append(ps, gateway.Problem{Pos: pos, Code: codeEntryShape, Message: message, Excerpt: texts.excerpt(pos)})
		}
	}
	return inOrder(ps)
}

// entry returns the reference of the phase's entry point.
func entry(phase Phase) ast.Ref {
	return ast.Ref{ast.DefaultRootDocument, ast.StringTerm("mcp"), ast.StringTerm("gateway"), ast.StringTerm(string(phase))}
}

// entryProblems says which entry points are missing or can never have the
// right shape.
func entryProblems(c *ast.Compiler, texts sources) gateway.Problems {
	var ps gateway.Problems
	for _, phase := range []Phase{PhaseVisible, PhaseDecision} {
		rules := c.GetRulesWithPrefix(entry(phase))
		if len(rules) == 0 {
			ps = append(ps, missing(phase))
			continue
		}
		if message := shapeFault(phase, c.TypeEnv.GetByRef(entry(phase))); message != "" {
			at := rules[0].Location
			pos := gateway.Pos{File: at.File, Line: at.Row, Col: at.Col}
			ps = append(ps, gateway.Problem{Pos: pos, Code: codeEntryShape, Message: message, Excerpt: texts.excerpt(pos)})
		}
	}
	return ps
}

// shapeFault judges the inferred type of an entry point.
func shapeFault(phase Phase, t types.Type) string {
	switch t.(type) {
	case nil, types.Any:
		return "" // not known before evaluation, where it is judged again
	case *types.Set:
		if phase == PhaseVisible {
			return ""
		}
	case *types.Object:
		if phase == PhaseDecision {
			return ""
		}
	}
	if phase == PhaseVisible {
		return "visible must be a set of ids (`visible contains id if …`), and is " + t.String()
	}
	return "decision must be an object with effect and reasons, and is " + t.String()
}

// reachable returns the modules with only those rules that the entry point
// depends on, however indirectly.
func reachable(c *ast.Compiler, modules map[string]*ast.Module, phase Phase) map[string]*ast.Module {
	wanted, seen := map[string]bool{}, map[*ast.Rule]bool{}
	var visit func(*ast.Rule)
	visit = func(r *ast.Rule) {
		if r == nil || seen[r] {
			return
		}
		seen[r] = true
		wanted[r.Ref().GroundPrefix().String()] = true
		visit(r.Else)
		for d := range c.Graph.Dependencies(r) {
			visit(d.(*ast.Rule))
		}
	}
	for _, r := range c.GetRulesWithPrefix(entry(phase)) {
		visit(r)
	}
	out := map[string]*ast.Module{}
	for name, m := range modules {
		m = m.Copy()
		m.Rules = slices.DeleteFunc(m.Rules, func(r *ast.Rule) bool { return !wanted[r.Ref().GroundPrefix().String()] })
		if len(m.Rules) > 0 {
			out[name] = m
		}
	}
	return out
}

// AnyID is the name under which the type checker knows every member of an
// object with arbitrary names. OPA's checker reads `properties` of a schema and
// not `additionalProperties`: without a stand-in, nothing below
// input.resources would be checked.
const anyID = "some id"

// checkerSchema returns the schema of the phases, joined, in the form that
// OPA's type checker can make most of.
func checkerSchema(phases ...Phase) any {
	var joined map[string]any
	for _, phase := range phases {
		var schema map[string]any
		if err := json.Unmarshal(InputSchema(phase), &schema); err != nil {
			panic("rego: embedded schema of " + string(phase) + ": " + err.Error())
		}
		delete(schema, "$id")
		standIn(schema)
		if joined == nil {
			joined = schema
			continue
		}
		maps.Copy(joined["properties"].(map[string]any), schema["properties"].(map[string]any))
	}
	return joined
}

// standIn puts a schema under additionalProperties where the checker sees it.
func standIn(schema map[string]any) {
	if members, ok := schema["additionalProperties"].(map[string]any); ok {
		schema["properties"] = map[string]any{anyID: members}
	}
	for key, v := range schema {
		if sub, ok := v.(map[string]any); ok && !strings.HasPrefix(key, "$") {
			standIn(sub)
		}
	}
}
