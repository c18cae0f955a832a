package rego_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// asked are places of the input with values that the random questions give them.
var asked = [][2]string{
	{"subject.id", `"s1"`}, {"subject.properties.tenant", `"t0"`}, {"subject.properties.issuer", `"i1"`}, {"subject.properties.client", `"c1"`},
	{"subject.properties.auth_method", `"stdio"`}, {"action.name", `"tools/call"`}, {"resource.id", `"up/t1"`}, {"resource.properties.owner", `"o1"`},
	{"resource.properties.side_effect", `"read"`}, {"resource.properties.state", `"approved"`}, {"resource.properties.reversible", "true"},
	{"resource.arguments.n", "1"}, {"resource.arguments.m", "1"}, {"context.era", `"legacy"`}, {"context.revision", `"2026-07-28"`},
	{"context.transport", `"http"`}, {"context.time", `"2026-09-01T00:00:02Z"`}, {"context.approval.status", `"approved"`}, {"context.approval.self", "true"},
	{"context.history.calls_hour", "1"}, {"context.host_untrusted.name", `"h1"`}, {"context.responses_untrusted.a.n", "1"},
}

// condition is one condition on a place of the input, written in a random way, and what
// it needs beside it.
func condition(r *rand.Rand, n int, at [2]string) (body, beside string) {
	path := strings.Split(at[0], ".")
	cut := r.IntN(len(path))
	head, rest := strings.Join(append([]string{"input"}, path[:cut]...), "."), path[cut:]
	below := strings.Join(rest, ".")
	switch r.IntN(14) {
	case 0:
		return fmt.Sprintf("not input.%s == %s", at[0], at[1]), ""
	case 1:
		return fmt.Sprintf("v%d := %s\n\tv%d.%s == %s", n, head, n, below, at[1]), ""
	case 2:
		return fmt.Sprintf("f%d(%s)", n, head), fmt.Sprintf("f%d(v) if v.%s == %s\n", n, below, at[1])
	case 3:
		return fmt.Sprintf(`object.get(%s, ["%s"], null) == %s`, head, strings.Join(rest, `", "`), at[1]), ""
	case 4:
		return fmt.Sprintf("k%d := %q\n\t%s[k%d] == %s", n, path[len(path)-1], strings.Join(append([]string{"input"}, path[:len(path)-1]...), "."), n, at[1]), ""
	case 5:
		return fmt.Sprintf("count([1 | input.%s == %s]) == 1", at[0], at[1]), ""
	case 6:
		return fmt.Sprintf("walk(%s, [_, v%d])\n\tv%d == %s", head, n, n, at[1]), ""
	default:
		return fmt.Sprintf("h%d", n), fmt.Sprintf("h%d if input.%s == %s\n\nelse := false\n", n, at[0], at[1])
	}
}

// anyPolicy is a policy of a rule that looks at the place that is given, and at times of
// one that looks at some other.
func anyPolicy(r *rand.Rand, place int) string {
	var rules, beside strings.Builder
	rule := func(head string, n int, at [2]string) {
		body, more := condition(r, n, at)
		fmt.Fprintf(&rules, "%s if {\n\t%s\n}\n\n", head, body)
		beside.WriteString(more + "\n")
	}
	if strings.Contains(asked[place][0], "_untrusted") || r.IntN(2) == 0 {
		rules.WriteString("allow if true\n\n")
		rule([]string{`deny contains "first"`, `ask contains "second"`}[r.IntN(2)], 0, asked[place])
	} else {
		rule("allow", 0, asked[place])
	}
	if r.IntN(2) == 0 {
		rule(`deny contains "third"`, 1, asked[r.IntN(len(asked))])
	}
	return seeAll + rules.String() + beside.String()
}

// question is what policy is asked.
type question struct {
	p    *gateway.Principal
	tool *rego.Resource
	args []byte
	c    rego.Context
}

// next changes one thing of a question.
func (q *question) next(r *rand.Rand, tools []*rego.Resource) {
	fresh := randomContext(r)
	switch r.IntN(12) {
	case 0, 1:
		q.p = randomPrincipal(r)
	case 2:
		q.tool = tools[r.IntN(len(tools))]
	case 3:
		i := r.IntN(len(tools))
		tools[i] = randomTool(r) // a review replaces what was there
		q.tool = tools[i]
	case 4:
		q.args = randomArguments(r)
	case 5:
		q.c.Action, q.c.Revision = fresh.Action, fresh.Revision
	case 6:
		q.c.Era, q.c.Transport = fresh.Era, fresh.Transport
	case 7:
		q.c.Time = fresh.Time
	case 8:
		q.c.Host = fresh.Host
	case 9:
		q.c.History = fresh.History
	case 10:
		q.c.Approval = fresh.Approval
	default:
		q.c.Responses = fresh.Responses
	}
}

// Whatever a policy looks at and however it is written, what is kept of it is what a
// fresh evaluation gives.
func TestKeptDecisionsOfAnyPolicy(t *testing.T) {
	const rounds, questions = 3, 100
	r := rand.New(rand.NewPCG(26, 11))
	told := map[string]bool{} // effects, over all policies
	for made, tried := 0, 0; made < rounds*len(asked); tried++ {
		if tried > 100*rounds*len(asked) {
			t.Fatal("hardly any policy loads")
		}
		text := anyPolicy(r, made%len(asked))
		o := rego.Options{Timeout: time.Minute, Dir: folder(t, "p.rego", text)}
		keeping, err := rego.Load(t.Context(), o)
		var ps gateway.Problems
		if errors.As(err, &ps) && !slices.ContainsFunc(ps, func(p problem) bool { return p.Code != "policy_unverified" }) {
			continue // an allow that rests on what nobody verified
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		o.Uncached = true
		fresh, err := rego.Load(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		made++
		tools := []*rego.Resource{randomTool(r), randomTool(r), randomTool(r)}
		q := &question{randomPrincipal(r), tools[0], randomArguments(r), randomContext(r)}
		for range questions {
			q.next(r, tools)
			got, want := keeping.Decide(t.Context(), q.p, q.tool, q.args, q.c), fresh.Decide(t.Context(), q.p, q.tool, q.args, q.c)
			_, may := got.Permit()
			_, should := want.Permit()
			if got.Effect != want.Effect || may != should || !slices.Equal(got.Reasons, want.Reasons) {
				t.Fatalf("kept %s %v %v, fresh %s %v %v, of %v %s %s %+v by\n%s", got.Effect, got.Reasons, may, want.Effect, want.Reasons, should, q.p, q.tool.ID(), q.args, q.c, text)
			}
			told[string(want.Effect)] = true
		}
	}
	if len(told) < 3 {
		t.Errorf("only %v: too little was told apart", told)
	}
}
