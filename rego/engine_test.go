package rego_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// engineOf loads a policy from texts given as name, text, ….
func engineOf(t *testing.T, files ...string) *rego.Engine {
	t.Helper()
	e, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, files...), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const seeAll = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n"

var alice = &gateway.Principal{Issuer: "gateway", Subject: "alice", Tenant: "platform", Client: "ci", Scopes: []string{"a"}, Groups: []string{"g"}, Method: gateway.AuthAPIKey}

func readTool(name string, scopes ...string) *rego.Resource {
	return rego.NewResource(rego.Item{
		ID: gateway.ItemID{Upstream: "up", Name: name}, Exposed: "up__" + name, Definition: gateway.Digest("sha256-jcs1:" + name),
		State: gateway.StateApproved, Facts: gateway.ExposureFacts{SideEffect: gateway.Read, Scopes: scopes},
		Findings: []gateway.Finding{{Code: "long_text", Path: "/description", Severity: gateway.Info}},
	})
}

func TestDecisionShapes(t *testing.T) {
	many := func(n int) string {
		var codes []string
		for i := range n {
			codes = append(codes, fmt.Sprintf("%q", fmt.Sprintf("code_%d", i)))
		}
		return strings.Join(codes, ",")
	}
	// made is a decision that is put together only when it is asked for: one that
	// stands written down so does not load.
	made := func(object string) string { return "decision := json.unmarshal(" + strconv.Quote(object) + ")" }
	for name, c := range map[string]struct {
		policy  string
		effect  gateway.Effect
		reasons string
	}{
		"a full object":             {`decision := {"effect": "allow", "reasons": []}`, "allow", ""},
		"reasons as an array":       {`decision := {"effect": "deny", "reasons": ["b", "a", "b"]}`, "deny", "a b"},
		"reasons as a set":          {`decision := {"effect": "ask", "reasons": {"b", "a"}}`, "ask", "a b"},
		"allow with a reason":       {`decision := {"effect": "allow", "reasons": ["on_call"]}`, "allow", "on_call"},
		"built member by member":    {"decision.effect := \"ask\"\n\ndecision.reasons := {\"a\"}", "ask", "a"},
		"undefined":                 {`decision := {"effect": "allow", "reasons": []} if input.subject.id == "bob"`, "deny", "policy_undefined"},
		"an unknown effect":         {made(`{"effect": "permit", "reasons": []}`), "deny", "policy_error"},
		"an effect in capitals":     {made(`{"effect": "Allow", "reasons": []}`), "deny", "policy_error"},
		"an effect that is no word": {made(`{"effect": true, "reasons": []}`), "deny", "policy_error"},
		"an unknown member":         {made(`{"effect": "allow", "reasons": [], "advice": ["mask"]}`), "deny", "policy_error"},
		"an unknown obligation":     {`decision := {"effect": "allow", "reasons": [], "obligations": json.unmarshal("[\"mask\"]")}`, "deny", "policy_error"},
		"a member instead":          {made(`{"effect": "allow", "obligations": []}`), "deny", "policy_error"},
		"no effect":                 {made(`{"reasons": []}`), "deny", "policy_error"},
		"no reasons":                {made(`{"effect": "allow"}`), "deny", "policy_error"},
		"deny without why":          {made(`{"effect": "deny", "reasons": []}`), "deny", "policy_error"},
		"ask without why":           {made(`{"effect": "ask", "reasons": []}`), "deny", "policy_error"},
		"reasons as a word":         {made(`{"effect": "deny", "reasons": "a"}`), "deny", "policy_error"},
		"reasons as an object":      {made(`{"effect": "deny", "reasons": {"a": true}}`), "deny", "policy_error"},
		"a reason that is no code":  {made(`{"effect": "deny", "reasons": ["Not this"]}`), "deny", "policy_error"},
		"a reason that is a number": {made(`{"effect": "deny", "reasons": [1]}`), "deny", "policy_error"},
		"the gateway's own reason":  {made(`{"effect": "deny", "reasons": ["policy_timeout"]}`), "deny", "policy_error"},
		"as many reasons as may be": {`decision := {"effect": "allow", "reasons": [` + many(32) + `]}`, "allow", ""},
		"one reason too many":       {`decision := {"effect": "allow", "reasons": [` + many(33) + `]}`, "deny", "policy_error"},
		"an answer of any type":     {"decision := data.answer", "deny", "policy_error"},
		"two answers": {"decision := {\"effect\": \"allow\", \"reasons\": []} if input.subject.id == \"alice\"\n\n" +
			"decision := {\"effect\": \"deny\", \"reasons\": [\"a\"]} if input.action.name == \"tools/call\"", "deny", "policy_conflict"},
		"a failing built-in": {`decision := {"effect": "allow", "reasons": []} if not to_number(input.subject.id) == 1`, "deny", "policy_error"},
		"a failing built-in beside an allow": {"decision := {\"effect\": \"deny\", \"reasons\": denials} if count(denials) > 0\n\n" +
			"else := {\"effect\": \"allow\", \"reasons\": []}\n\ndenials contains \"a\" if to_number(input.subject.id) == 1", "deny", "policy_error"},

		"simple: allow":              {`allow if input.subject.id == "alice"`, "allow", ""},
		"simple: no allow":           {`allow if input.subject.id == "bob"`, "deny", "policy_undefined"},
		"simple: allow is false":     {`allow := false`, "deny", "policy_undefined"},
		"simple: with a default":     {"default allow := false\n\nallow if input.subject.id == \"bob\"", "deny", "policy_undefined"},
		"simple: deny outweighs":     {"allow if true\n\ndeny contains \"a\" if true\n\nask contains \"b\" if true", "deny", "a"},
		"simple: deny without allow": {"allow if false\n\ndeny contains \"a\" if true", "deny", "a"},
		"simple: ask":                {"allow if true\n\nask contains \"b\" if true\n\nask contains \"a\" if true", "ask", "a b"},
		"simple: ask is no allow":    {"allow if false\n\nask contains \"b\" if true", "deny", "policy_undefined"},
		"simple: idle deny and ask":  {"allow if true\n\ndeny contains \"a\" if input.subject.id == \"bob\"\n\nask contains \"b\" if input.subject.id == \"bob\"", "allow", ""},
		"simple: two answers":        {"allow := true if input.subject.id == \"alice\"\n\nallow := false if input.action.name == \"tools/call\"", "deny", "policy_conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			e := engineOf(t, "p.rego", seeAll+c.policy+"\n", "data.json", `{"answer": {"effect": "allow"}}`)
			d := e.Decide(t.Context(), alice, readTool("t"), nil, modern)
			var got []string
			for _, r := range d.Reasons {
				got = append(got, string(r))
			}
			if want := strings.Fields(c.reasons); d.Effect != c.effect || len(want) > 0 && !slices.Equal(got, want) {
				t.Errorf("%s %v (%v), want %s %v", d.Effect, got, d.Err, c.effect, c.reasons)
			}
			own := len(d.Reasons) == 1 && strings.HasPrefix(got[0], "policy_")
			if _, ok := d.Permit(); ok != (c.effect == gateway.Allow) || own != (d.Err != nil) || d.Revision != e.Revision() {
				t.Errorf("permit %v, error %v, revision %q", ok, d.Err, d.Revision)
			}
		})
	}
}

func TestVisibleShapes(t *testing.T) {
	const rest = "\n\ndecision := {\"effect\": \"allow\", \"reasons\": []}\n"
	tools := []*rego.Resource{readTool("one"), readTool("two"), readTool("three")}
	for name, c := range map[string]struct {
		visible string
		seen    []bool
		reason  gateway.Reason
	}{
		"some":            {`visible contains "up/two"`, []bool{false, true, false}, ""},
		"none":            {"visible contains id if {\n\tsome id, facts in input.resources\n\tfacts.owner == \"nobody\"\n}", []bool{false, false, false}, ""},
		"ids not asked":   {`visible := {"up/one", "up/four", "other/one"} | {id | some id in data.more}`, []bool{true, false, false}, ""},
		"from data":       {`visible := {id | some id in data.ids}`, []bool{false, false, true}, ""},
		"undefined":       {`visible := {"up/one"} if input.subject.id == "bob"`, nil, gateway.ReasonPolicyUndefined},
		"of another type": {`visible := data.ids`, nil, gateway.ReasonPolicyError},
		"two answers":     {"visible := {\"up/one\"} if input.subject.id == \"alice\"\n\nvisible := {\"up/two\"} if input.action.name == \"list\"", nil, gateway.ReasonPolicyConflict},
		"failing":         {"visible contains id if {\n\tsome id, _ in input.resources\n\tto_number(id) == 1\n}", nil, gateway.ReasonPolicyError},
	} {
		t.Run(name, func(t *testing.T) {
			e := engineOf(t, "p.rego", "package mcp.gateway\n\n"+c.visible+rest, "data.json", `{"ids": ["up/three"], "more": [7]}`)
			seen, err := e.Visible(t.Context(), alice, tools)
			if !slices.Equal(seen, c.seen) || !refusedFor(err, c.reason) {
				t.Errorf("%v, %v; want %v, %q", seen, err, c.seen, c.reason)
			}
		})
	}
}

// refusedFor says whether err is the refusal for that reason, or none for none.
func refusedFor(err error, reason gateway.Reason) bool {
	var e *gateway.Error
	if !errors.As(err, &e) {
		return err == nil && reason == ""
	}
	return e.Code == gateway.CodePolicyUnavailable && slices.Equal(e.Reasons, []gateway.Reason{reason}) && e.Err != nil
}

// slow never ends by itself in any time that a test could wait for.
const slow = `package mcp.gateway

visible contains id if {
	some id, _ in input.resources
	forever
}

decision := {"effect": "allow", "reasons": []} if forever

forever if {
	some a in numbers.range(1, 100000)
	some b in numbers.range(1, 100000)
	a * b == 0
}
`

func TestPolicyRunsOverItsTime(t *testing.T) {
	for name, policy := range map[string]string{
		"search":            slow,
		"one long built-in": strings.ReplaceAll(slow, "100000", "100000000000"),
		"comprehensions": seeAll + `decision := {"effect": "allow", "reasons": []} if {
	count([1 | some a in numbers.range(1, 5000); count([b | some b in numbers.range(1, 5000); b != a]) == 0]) == 0
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", policy), Timeout: 20 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			d := e.Decide(t.Context(), alice, readTool("t"), nil, modern)
			if d.Effect != gateway.Deny || !slices.Equal(d.Reasons, []gateway.Reason{gateway.ReasonPolicyTimeout}) || d.Err == nil {
				t.Errorf("%s %v %v", d.Effect, d.Reasons, d.Err)
			}
			if name == "search" {
				if seen, err := e.Visible(t.Context(), alice, []*rego.Resource{readTool("t")}); seen != nil || !refusedFor(err, gateway.ReasonPolicyTimeout) {
					t.Errorf("%v %v", seen, err)
				}
			}
		})
	}
}

func TestPolicyStopsWithItsContext(t *testing.T) {
	e := engineOf(t, "p.rego", slow)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for ctx, want := range map[context.Context]gateway.Reason{gone: gateway.ReasonPolicyCancelled, late: gateway.ReasonPolicyTimeout} {
		if d := e.Decide(ctx, alice, readTool("t"), nil, modern); d.Effect != gateway.Deny || d.Reasons[0] != want {
			t.Errorf("%s %v %v, want %s", d.Effect, d.Reasons, d.Err, want)
		}
		if _, err := e.Visible(ctx, alice, []*rego.Resource{readTool("t")}); !refusedFor(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A panic in the middle of an evaluation is a denial. The clock is the one part
// of it that a test can break.
func TestPanicIsADenial(t *testing.T) {
	var readings atomic.Int32
	broken := func() time.Time {
		if readings.Add(1)%2 == 0 {
			panic("the clock broke")
		}
		return now
	}
	e, err := rego.Load(t.Context(), rego.Options{Now: broken})
	if err != nil {
		t.Fatal(err)
	}
	d := e.Decide(t.Context(), alice, readTool("t", "a"), nil, modern)
	if _, ok := d.Permit(); ok || d.Effect != gateway.Deny || d.Reasons[0] != gateway.ReasonPolicyError || readings.Load() != 2 {
		t.Errorf("%s %v %v after %d readings", d.Effect, d.Reasons, d.Err, readings.Load())
	}
	if seen, err := e.Visible(t.Context(), alice, []*rego.Resource{readTool("t", "a")}); seen != nil || !refusedFor(err, gateway.ReasonPolicyError) {
		t.Errorf("%v %v", seen, err)
	}
	if d := shippedEngine(t).Decide(t.Context(), nil, readTool("t", "a"), nil, modern); d.Effect != gateway.Deny {
		t.Errorf("nobody is allowed: %v", d)
	}
}

func TestArgumentsReachPolicyExactly(t *testing.T) {
	for args, rule := range map[string]string{
		`{"n": 9007199254740993}`:            `input.resource.arguments.n == 9007199254740993`,
		`{"n": 9007199254740992}`:            `input.resource.arguments.n != 9007199254740993`,
		`{"n": 1e3}`:                         `input.resource.arguments.n == 1000`,
		`{"s": "a\u0062\n\ud83d\ude00"}`:     `input.resource.arguments.s == "ab\n😀"`,
		`{"a": [1, null, true, {"b": "c"}]}`: `input.resource.arguments.a == [1, null, true, {"b": "c"}]`,
		`{"a": {}, "b": []}`:                 `input.resource.arguments == {"a": {}, "b": []}`,
		``:                                   `input.resource.arguments == {}`,
		` { } `:                              `input.resource.arguments == {}`,
		`{"a/b": {"": 1}}`:                   `input.resource.arguments["a/b"][""] == 1`,
	} {
		e := engineOf(t, "p.rego", seeAll+"allow if "+rule+"\n")
		if d := e.Decide(t.Context(), alice, readTool("t"), []byte(args), modern); d.Effect != gateway.Allow {
			t.Errorf("%s is not %s: %v %v", args, rule, d.Reasons, d.Err)
		}
	}
}

func TestArgumentsThatAreNone(t *testing.T) {
	e := engineOf(t, "p.rego", seeAll+"allow if not input.resource.arguments.no\n")
	for args, want := range map[string]gateway.Reason{
		`[]`:            gateway.ReasonMalformed,
		`null`:          gateway.ReasonMalformed,
		`"{}"`:          gateway.ReasonMalformed,
		`{`:             gateway.ReasonMalformed,
		`{"a"}`:         gateway.ReasonMalformed,
		`{"a":1,}`:      gateway.ReasonMalformed,
		`{"a":01}`:      gateway.ReasonMalformed,
		`{"a":1} {}`:    gateway.ReasonMalformed,
		`{"a":1,"a":2}`: gateway.ReasonMalformed,
		`{"a":NaN}`:     gateway.ReasonMalformed,
		`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`: gateway.ReasonArgumentsTooLarge,
		`{"a":[` + strings.Repeat("1,", 1<<16) + `1]}`:                      gateway.ReasonArgumentsTooLarge,
	} {
		d := e.Decide(t.Context(), alice, readTool("t"), []byte(args), modern)
		if d.Effect != gateway.Deny || !slices.Equal(d.Reasons, []gateway.Reason{want}) || d.Err == nil {
			t.Errorf("%.20s: %s %v %v, want %s", args, d.Effect, d.Reasons, d.Err, want)
		}
	}
	large := []byte(`{"a":"` + strings.Repeat("x", 3<<20) + `"}`)
	if d := e.Decide(t.Context(), alice, readTool("t"), large, modern); d.Effect != gateway.Allow {
		t.Errorf("one long string: %v %v", d.Reasons, d.Err)
	}
}

// The input has every field of its published schema, with these values.
func TestInputAsPublished(t *testing.T) {
	e := engineOf(t, "p.rego", open)
	d := e.Decide(t.Context(), alice, rego.NewResource(rego.Item{
		ID: gateway.ItemID{Upstream: "up", Name: "t"}, Exposed: "up__t", Definition: "sha256-jcs1:t", State: gateway.StateApproved,
		Findings: []gateway.Finding{{Code: "b", Path: "/x", Severity: gateway.Info}, {Code: "b", Path: "/y", Severity: gateway.Info}},
		Facts: gateway.ExposureFacts{
			Scopes: []string{"b", "a", "b"}, Tenants: []string{"y", "x"}, Contract: "2",
			Deprecated: &gateway.Deprecation{Sunset: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)},
		},
		Claims: map[string]bool{"read_only": true},
	}), []byte(`{"secret": "hunter2"}`), modern)
	const want = `{"action":{"name":"tools/call"},` +
		`"context":{"era":"modern","revision":"2026-07-28","transport":"http"},` +
		`"resource":{"id":"up/t","properties":{"annotations_untrusted":{"read_only":true},"contract":"2",` +
		`"definition":"sha256-jcs1:t","deprecated":{"passed":false,"sunset":"2027-03-01"},"exposed_name":"up__t",` +
		`"findings":[{"code":"b","severity":"info"}],"idempotent":"no","name":"t","open_world":true,"outbound":true,"owner":"",` +
		`"reads_private":true,"reversible":false,"scopes":["a","b"],"side_effect":"destructive","state":"approved",` +
		`"step_up":false,"tenants":["x","y"],"type":"tool","untrusted_content":true,"upstream":"up"},"type":"tool"},` +
		`"subject":{"id":"alice","properties":{"auth_method":"api_key","client":"ci","groups":["g"],"issuer":"gateway",` +
		`"scopes":["a"],"tenant":"platform"},"type":"identity"}}`
	if got := string(d.Input()); got != want {
		t.Errorf("input\n%s\nwant\n%s", got, want)
	}
	var schema struct {
		Definitions struct {
			Facts, Subject struct{ Properties map[string]any }
		}
	}
	var input struct {
		Resource struct{ Properties map[string]any }
	}
	if err := errors.Join(json.Unmarshal(rego.InputSchema(rego.PhaseDecision), &schema), json.Unmarshal(d.Input(), &input)); err != nil {
		t.Fatal(err)
	}
	for name := range schema.Definitions.Facts.Properties {
		if _, ok := input.Resource.Properties[name]; !ok {
			t.Errorf("the schema promises %s, the input has none", name)
		}
	}
	if len(schema.Definitions.Facts.Properties) != len(input.Resource.Properties) {
		t.Error("the input has a fact that the schema does not name")
	}
}

func digestOf(d rego.Decision) gateway.Digest {
	digest, _ := d.InputDigest()
	return digest
}

func TestInputDigestNamesTheQuestion(t *testing.T) {
	e := shippedEngine(t)
	ask := func(p *gateway.Principal, r *rego.Resource, args string, c rego.Context) gateway.Digest {
		return digestOf(e.Decide(t.Context(), p, r, []byte(args), c))
	}
	base := ask(alice, readTool("t"), `{}`, modern)
	later := modern
	later.Time = now.Add(time.Hour)
	if ask(alice, readTool("t"), `{"a":1}`, later) != base || !strings.HasPrefix(string(base), "sha256-jcs1:") {
		t.Error("arguments or time are in the kept input")
	}
	stdio, bob := modern, *alice
	stdio.Transport, bob.Subject = "stdio", "bob"
	if ask(alice, readTool("u"), `{}`, modern) == base || ask(&bob, readTool("t"), `{}`, modern) == base || ask(alice, readTool("t"), `{}`, stdio) == base {
		t.Error("two questions have one digest")
	}
	if (rego.Decision{}).Input() != nil || digestOf(rego.Decision{}) != "" {
		t.Error("a decision that nobody made has an input")
	}
}

func TestTimeIsTheOnlyClock(t *testing.T) {
	e := engineOf(t, "p.rego", seeAll+`allow if time.parse_rfc3339_ns(input.context.time) < time.parse_rfc3339_ns("2026-09-01T00:00:01Z")`+"\n")
	later := modern
	later.Time = now.Add(time.Second).In(time.FixedZone("east", 3600))
	if d := e.Decide(t.Context(), alice, readTool("t"), nil, modern); d.Effect != gateway.Allow {
		t.Errorf("%v %v", d.Reasons, d.Err)
	}
	if d := e.Decide(t.Context(), alice, readTool("t"), nil, later); d.Effect != gateway.Deny {
		t.Errorf("%v %v", d.Reasons, d.Err)
	}
}

func TestPermit(t *testing.T) {
	e, r, args := shippedEngine(t), readTool("t", "a"), []byte(`{"x":1}`)
	d := e.Decide(t.Context(), alice, r, args, modern)
	p, ok := d.Permit()
	if !ok || !p.Valid() || p.Revision() != e.Revision() || !p.Covers(r.ID(), "sha256-jcs1:t", args) {
		t.Fatalf("no permit for what was allowed: %v", d)
	}
	if p.Covers(gateway.ItemID{Upstream: "up", Name: "u"}, "sha256-jcs1:t", args) ||
		p.Covers(r.ID(), "sha256-jcs1:u", args) || p.Covers(r.ID(), "sha256-jcs1:t", []byte(`{"x":2}`)) || p.Covers(r.ID(), "sha256-jcs1:t", nil) {
		t.Error("a permit covers another call")
	}
	if (rego.Permit{}).Valid() || (rego.Permit{}).Covers(gateway.ItemID{}, "", nil) {
		t.Error("the zero value is a permit")
	}
	if _, ok := (rego.Decision{Effect: gateway.Allow}).Permit(); ok {
		t.Error("a decision made by hand gives a permit")
	}
	denied := e.Decide(t.Context(), &gateway.Principal{}, r, args, modern)
	denied.Effect = gateway.Allow
	if _, ok := denied.Permit(); ok {
		t.Error("a denial rewritten gives a permit")
	}
	d.Effect = gateway.Ask
	if _, ok := d.Permit(); ok {
		t.Error("an allow tightened later still gives a permit")
	}
}

// A principal that changes is a new one, also where the pointer is the same.
func TestScopesAreNeverStale(t *testing.T) {
	e, p := shippedEngine(t), *alice
	p.Scopes = []string{"a"}
	tools := []*rego.Resource{readTool("t", "a")}
	for i, want := range []bool{true, false, true, false} {
		if i > 0 {
			p.Scopes[0] = map[bool]string{true: "a", false: "b"}[want]
		}
		seen, err := e.Visible(t.Context(), &p, tools)
		if err != nil || seen[0] != want {
			t.Errorf("step %d: %v %v", i, seen, err)
		}
		if d := e.Decide(t.Context(), &p, tools[0], nil, modern); (d.Effect == gateway.Allow) != want {
			t.Errorf("step %d: %v", i, d)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	e, tools := shippedEngine(t), someTools(50)
	one, err := e.Visible(t.Context(), somePrincipal(3), tools)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 20 {
				p := somePrincipal(3)
				seen, err := e.Visible(t.Context(), p, tools)
				if err != nil || !slices.Equal(seen, one) {
					t.Errorf("%v %v", seen, err)
				}
				d := e.Decide(t.Context(), p, tools[i], []byte(`{"severity":"P3"}`), modern)
				if (d.Effect == gateway.Allow) != one[i] {
					t.Errorf("tool %d: %v, visible %v", i, d, one[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestTwoResourcesOfOneIDAreAnError(t *testing.T) {
	tools := []*rego.Resource{readTool("t", "a"), readTool("u", "a"), readTool("t")}
	if seen, err := shippedEngine(t).Visible(t.Context(), alice, tools); seen != nil || !refusedFor(err, gateway.ReasonPolicyError) {
		t.Error(seen, err)
	}
}

func TestVisibleOfNothing(t *testing.T) {
	if seen, err := shippedEngine(t).Visible(t.Context(), alice, nil); len(seen) != 0 || err != nil {
		t.Error(seen, err)
	}
}

// What the host answered to an upstream's questions is there for rules about it,
// beside the arguments, and is kept no more than they are.
func TestResponses(t *testing.T) {
	e := engineOf(t, "p.rego", seeAll+
		`default decision := {"effect": "allow", "reasons": []}`+"\n"+
		`decision := {"effect": "deny", "reasons": ["too_much"]} if input.context.responses_untrusted.amount.content.euros > 100`+"\n")
	asked := func(responses string) rego.Decision {
		c := modern
		c.Responses = []byte(responses)
		return e.Decide(t.Context(), alice, readTool("t"), nil, c)
	}
	for responses, want := range map[string]gateway.Effect{
		``: gateway.Allow, `{}`: gateway.Allow,
		`{"amount":{"action":"accept","content":{"euros":100}}}`: gateway.Allow,
		`{"amount":{"action":"accept","content":{"euros":101}}}`: gateway.Deny,
		`[]`: gateway.Deny,
	} {
		if d := asked(responses); d.Effect != want {
			t.Errorf("%s: %s %v %v", responses, d.Effect, d.Reasons, d.Err)
		}
	}
	if digestOf(asked(`{"a":{"secret":"word"}}`)) != digestOf(asked(``)) {
		t.Error("an answer is part of what is kept")
	}
}
