package failclosed

import (
	"os"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// ruled opens a gateway under a policy of its own, in which everything is visible.
func ruled(t *testing.T, decision string) *ground {
	t.Helper()
	dir := t.TempDir()
	text := "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n" + decision + "\n"
	if err := os.WriteFile(dir+"/gateway.rego", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, "policy: {dir: "+dir+", timeout: 300ms}\n")
}

func policyCells() []cell {
	return []cell{
		{"absent at start", refuses, "A policy directory that is not there, or does not compile, is said with its place.", func(t *testing.T) {
			build(t, "policy: {dir: ./nowhere}\n").refused(t, "nowhere")
			s := build(t, "policy: {dir: ./policy}\n")
			s.write(t, "policy/gateway.rego", "package mcp.gateway\n\ndecision := {\n")
			s.refused(t, "gateway.rego:")
		}},
		{"fails while running", denies, "Rules that contradict each other give no decision: `policy_conflict`.", func(t *testing.T) {
			g := ruled(t, "decision := {\"effect\": \"allow\", \"reasons\": []}\n\n"+
				"decision := {\"effect\": \"deny\", \"reasons\": [\"no\"]} if input.resource.arguments.x == 1")
			g.denied(t, reading, `{"x":1}`, gateway.CodeForbidden, gateway.ReasonPolicyConflict)
			g.served(t, reading)
		}},
		{"slow", denies, "A decision that is not made in its time is none: `policy_unavailable`, `policy_timeout`.", func(t *testing.T) {
			g := ruled(t, "decision := {\"effect\": \"allow\", \"reasons\": []} if {\n\tsome i in numbers.range(1, 3000)\n"+
				"\tsome j in numbers.range(1, 3000)\n\ti * j == input.resource.arguments.x\n}")
			g.denied(t, reading, `{"x":-1}`, gateway.CodePolicyUnavailable, gateway.ReasonPolicyTimeout)
		}},
		{"wrong data", denies, "A decision of another shape, or none at all, denies: `policy_error`, `policy_undefined`.", func(t *testing.T) {
			g := ruled(t, "decision := {\"effect\": input.resource.arguments.x, \"reasons\": []}")
			g.denied(t, reading, `{"x":"perhaps"}`, gateway.CodePolicyUnavailable, gateway.ReasonPolicyError)
			g.denied(t, reading, `{}`, gateway.CodeForbidden, gateway.ReasonPolicyUndefined)
		}},
		{"full", denies, "Arguments with more values than policy can be asked about are refused: `arguments_too_large`.", func(t *testing.T) {
			g := open(t, "")
			g.denied(t, reading, `{"a":[`+strings.Repeat("1,", 1<<16)+`1]}`, gateway.CodeForbidden, gateway.ReasonArgumentsTooLarge)
		}},
	}
}

func exposureCells() []cell {
	const path = "exposure.yaml"
	kept := func(t *testing.T, breakIt func(*ground)) {
		g := open(t, "")
		breakIt(g)
		stage.Await(t, "it is refused", func() bool { return strings.Contains(g.Log(), "reload refused") })
		g.served(t, reading, writing, healthy)
	}
	return []cell{
		{"absent at start", refuses, "A review that the configuration names must be there.", func(t *testing.T) {
			t.Parallel()
			s := build(t, "")
			if err := os.Remove(s.path(path)); err != nil {
				t.Fatal(err)
			}
			s.refused(t, path)
		}},
		{"fails while running", serves, "One that vanishes changes nothing: the review that was read last holds, and the log says so.", func(t *testing.T) {
			t.Parallel()
			kept(t, func(g *ground) {
				if err := os.Remove(g.Path(path)); err != nil {
					t.Fatal(err)
				}
			})
		}},
		{"slow", never, "It is read at start and when it changes, on no call's path.", nil},
		{"wrong data", serves, "A mistake changes nothing, and is said with its line; at start it refuses to start.", func(t *testing.T) {
			t.Parallel()
			kept(t, func(g *ground) { g.Write(t, path, strings.Replace(g.Exposure(), "side_effect", "side_efect", 1)) })
			s := build(t, "")
			s.write(t, path, "version: 1\ntols: {}\n")
			s.refused(t, path+":2:1")
		}},
		{"full", serves, "A file beyond the bound of what is read is refused as a mistake is.", func(t *testing.T) {
			t.Parallel()
			kept(t, func(g *ground) { g.Write(t, path, g.Exposure()+"# "+strings.Repeat("x", 64<<20)+"\n") })
		}},
	}
}

// among opens a gateway before an upstream one of whose definitions is bad, and
// holds that this one is withheld and nothing else.
func among(t *testing.T, bad ...string) {
	t.Helper()
	done := stage.Result(stage.Text(`"done"`))
	peer := stage.NewPeer().Add(stage.Tool("read"), done).Add(stage.Tool("write"), done)
	for _, definition := range bad {
		peer.Add(definition, done)
	}
	g := openWith(t, "", peer)
	g.served(t, reading, writing, healthy)
	if names := g.alice.List(t); len(names) != 3 {
		t.Errorf("offered: %q", names)
	}
	g.denied(t, "up__bad", `{}`, gateway.CodeUnknownTool)
}

func withSchema(schema string) string { return `{"name":"bad","inputSchema":` + schema + `}` }

// doubling refers to itself twice at every step.
func doubling() string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/a0","$defs":{`)
	for i := range 40 {
		ref := `{"$ref":"#/$defs/a` + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"}`
		b.WriteString(`"a` + map[bool]string{true: "0", false: string(rune('0'+i/10)) + string(rune('0'+i%10))}[i == 0] + `":{"allOf":[` + ref + `,` + ref + `]},`)
	}
	return b.String() + `"a40":{}}}`
}

func schemaCells() []cell {
	return []cell{
		{"absent at start", never, "It is part of the program.", nil},
		{"fails while running", withhold, "A schema that goes round in circles is found before it is compiled; its tool is not offered, the others are.", func(t *testing.T) {
			t.Parallel()
			among(t, withSchema(`{"$ref":"#"}`))
		}},
		{"slow", withhold, "One that doubles at every step is measured before it is compiled.", func(t *testing.T) {
			t.Parallel()
			among(t, withSchema(doubling()))
		}},
		{"wrong data", withhold, "What is no schema, or of an unsupported dialect, hides its tool alone.", func(t *testing.T) {
			t.Parallel()
			among(t, withSchema(`{"type":"object","minimum":"none"}`))
			among(t, withSchema(`{"$schema":"https://example.com/of-our-own","type":"object"}`))
		}},
		{"full", withhold, "A definition beyond its size hides its tool alone.", func(t *testing.T) {
			t.Parallel()
			among(t, withSchema(`{"type":"object","description":"`+strings.Repeat("x", 3<<20)+`"}`))
		}},
	}
}
