package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/redact"
)

// cleaners say of every type that a server sends how it is made safe; "" is one of
// which no string is passed on, for a reason that stands beside it.
var cleaners = map[string]string{
	"CallToolResult": "result", "GetPromptResult": "prompt", "ReadResourceResult": "contents", "CompleteResult": "any",
	"InputRequiredResult": "asking", "CreateMessageRequestParams": "asked", "ElicitRequestFormParams": "asked", "ElicitRequestURLParams": "asked",
	"ProgressNotificationParams": "any", "LoggingMessageNotificationParams": "any",
	"Tool": "tool", "Prompt": "prompt definition", "Resource": "resource", "ResourceTemplate": "template",

	"ListToolsResult": "", "ListPromptsResult": "", "ListResourcesResult": "", "ListResourceTemplatesResult": "", // lists are rendered from definitions
	"DiscoverResult": "", "InitializeResult": "", // the gateway says who it is itself; instructions are definitions
	"SubscriptionsListenResult": "", "Result": "", // of the gateway's own hop
	"GetTaskResult": "", "GetTaskPayloadResult": "", "CancelTaskResult": "", "ListTasksResult": "", // not asked for
	"CancelledNotificationParams": "", "ResourceUpdatedNotificationParams": "", "SubscriptionsAcknowledgedNotificationParams": "",
	"NotificationParams": "", "TaskStatusNotificationParams": "", "ElicitationCompleteNotificationParams": "", // told by the gateway in words of its own, or not at all
	"RequestParams": "", // of ping and roots/list: nothing of it is passed on
}

// exempt are the strings, by type and name, that come back to the upstream or are obeyed:
// to change one is to break it. What is hidden in one refuses the question or withholds the
// definition.
var exempt = map[string][]string{
	"asking": {"requestState", "resultType", "url", "elicitationId", "pattern", "default", "enum", "const", "required", "uri", "$schema", "name", "inputRequests", "properties", "stopSequences", "includeContext", "type", "inputSchema", "outputSchema"},
	"asked":  {"url", "elicitationId", "pattern", "default", "enum", "const", "required", "name", "properties", "stopSequences", "$schema", "type", "inputSchema", "outputSchema"},
}

// spec is the protocol's schema of one revision.
type spec struct{ defs map[string]any }

// leaf is a string of a generated message.
type leaf struct {
	mark   string
	name   string   // of the member that it stands under, or in the array under it
	path   []string // types that it stands in, outermost first
	format string
}

// generator writes a message of a type in which every string can be told from the others.
type generator struct {
	spec   spec
	pick   int // which of several shapes is taken
	arrays int // how many the value stands in
	leaves []leaf
}

func (g *generator) text(name, format string, path []string) string {
	mark := fmt.Sprintf("leaf%04d", len(g.leaves))
	if format == "byte" {
		mark = base64.StdEncoding.EncodeToString([]byte(mark))
	}
	g.leaves = append(g.leaves, leaf{mark, name, path, format})
	return mark
}

func (g *generator) value(schema map[string]any, name string, path []string) any {
	if ref, ok := schema["$ref"].(string); ok {
		kind := ref[strings.LastIndex(ref, "/")+1:]
		if count(path, kind) > 1 || len(path) > 9 {
			return nil
		}
		return g.value(g.spec.defs[kind].(map[string]any), name, append(slices.Clip(path), kind))
	}
	if c, ok := schema["const"]; ok {
		return c
	}
	if e, ok := schema["enum"].([]any); ok {
		return e[0]
	}
	for _, several := range []string{"anyOf", "oneOf"} {
		if all, ok := schema[several].([]any); ok {
			return g.value(all[g.pick%len(all)].(map[string]any), name, path)
		}
	}
	kind, _ := schema["type"].(string)
	if several, ok := schema["type"].([]any); ok {
		kind, _ = several[g.pick%len(several)].(string)
	}
	switch kind {
	case "string":
		format, _ := schema["format"].(string)
		return g.text(name, format, path)
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return g.array(schema, name, path)
	case "null":
		return nil
	}
	return g.object(schema, name, path)
}

func count(list []string, s string) (n int) {
	for _, have := range list {
		if have == s {
			n++
		}
	}
	return n
}

// array holds one element of each shape; one within another holds one.
func (g *generator) array(schema map[string]any, name string, path []string) any {
	items, _ := schema["items"].(map[string]any)
	out := []any{}
	g.arrays++
	defer func() { g.arrays-- }()
	if g.arrays > 1 {
		return append(out, g.value(items, name, path))
	}
	before := g.pick
	for g.pick = range 6 {
		if v := g.value(items, name, path); v != nil {
			out = append(out, v)
		}
	}
	g.pick = before
	return out
}

func (g *generator) object(schema map[string]any, name string, path []string) any {
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for _, member := range keys(properties) {
		if v := g.value(properties[member].(map[string]any), member, path); v != nil {
			out[member] = v
		}
	}
	if more, ok := schema["additionalProperties"].(map[string]any); ok && len(more) > 0 {
		out[g.text(name, "name", path)] = g.value(more, name, path)
	} else if ok || len(properties) == 0 || strings.HasSuffix(last(path), "MetaObject") || last(path) == "CallToolResult" {
		out[g.text(name, "name", path)] = g.text(name, "", path) // what no revision names
	}
	return out
}

func last(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

func keys(m map[string]any) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// clean passes a message through what is made for its type. refused says that nothing of it
// is passed on.
func cleanAs(t *testing.T, r *redact.Redactor, how string, raw []byte) (out string, refused bool) {
	t.Helper()
	kinds := map[string]gateway.Kind{"tool": gateway.KindTool, "prompt definition": gateway.KindPrompt, "resource": gateway.KindResource, "template": gateway.KindTemplate}
	if kind, ok := kinds[how]; ok {
		clean, findings, err := r.Item(kind, raw)
		for _, f := range findings {
			refused = refused || f.Severity == gateway.Critical
		}
		return string(clean), refused || err != nil
	}
	c, err := map[string]func([]byte) (redact.Clean, error){
		"result": r.Result, "prompt": r.Prompt, "contents": r.Contents, "any": r.Any, "asking": r.Asking, "asked": r.Asked,
	}[how](raw)
	var e *gateway.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%s: %v", how, err)
	}
	return string(c.Bytes()), err != nil
}

// TestEveryString takes each message that a server may send in each revision, as the
// protocol's own schema has it, and puts into each of its strings, one by one, a secret,
// hidden characters, and where it is a link, one that leads elsewhere: none is passed on.
func TestEveryString(t *testing.T) {
	r := redact.New(redact.Options{}).With(redact.Content{Hosts: []string{"docs.example"}, Origin: "https://up.example:443"})
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "shared", "spec", "schema-"+revision+".json"))
		if err != nil {
			fmt.Println("not run: the protocol's schema, which is not here")
			return
		}
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		defs, ok := schema["$defs"].(map[string]any)
		if !ok {
			defs = schema["definitions"].(map[string]any)
		}
		holdTypes(t, revision, spec{defs})
		tried := 0
		for _, kind := range keys(defs) {
			if how := cleaners[kind]; how != "" {
				tried += everyString(t, r, spec{defs}, revision, kind, how)
			}
		}
		t.Logf("%s: %d strings", revision, tried)
		if tried < 100 {
			t.Errorf("%s: %d strings were tried", revision, tried)
		}
	}
}

// holdTypes holds that each type that a server sends stands in the table.
func holdTypes(t *testing.T, revision string, s spec) {
	t.Helper()
	for _, union := range []string{"ServerResult", "ServerNotification", "ServerRequest", "InputRequest"} {
		def, ok := s.defs[union].(map[string]any)
		if !ok {
			continue
		}
		for _, one := range def["anyOf"].([]any) {
			kind := one.(map[string]any)["$ref"].(string)
			kind = kind[strings.LastIndex(kind, "/")+1:]
			_, result := cleaners[kind]
			params := strings.TrimSuffix(strings.TrimSuffix(kind, "Request"), "Notification")
			known := result || slices.Contains([]string{"Ping", "ListRoots", "GetTask", "GetTaskPayload", "CancelTask", "ListTasks", "ResourceListChanged", "PromptListChanged", "ToolListChanged", "ElicitationComplete", "TaskStatus"}, params)
			for _, suffix := range []string{"NotificationParams", "RequestParams", "RequestFormParams"} {
				_, has := cleaners[params+suffix]
				known = known || has
			}
			if !known {
				t.Errorf("%s: nobody says how %s is cleaned", revision, kind)
			}
		}
	}
}

// everyString tries the strings of one type and returns how many there were.
func everyString(t *testing.T, r *redact.Redactor, s spec, revision, kind, how string) (tried int) {
	t.Helper()
	seen := map[string]bool{} // of one type in one place, one is enough
	for pick := range 6 {
		g := &generator{spec: s, pick: pick}
		message := g.value(s.defs[kind].(map[string]any), "", []string{kind})
		raw, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range g.leaves {
			where := fmt.Sprint(l.path, l.name, l.format)
			if seen[where] {
				continue
			}
			seen[where] = true
			tried++
			for plant, signs := range plants(l, how) {
				in := strings.Replace(string(raw), `"`+l.mark+`"`, quoted(plant), 1)
				out, refused := cleanAs(t, r, how, []byte(in))
				if refused || out == "" {
					continue
				}
				for _, sign := range signs {
					if strings.Contains(strings.ToLower(out), strings.ToLower(sign)) || len(sign) > 8 && hides(out, sign) {
						t.Errorf("%s %s: %q passes in %s of %v:\n%.1500s", revision, kind, plant, l.name, l.path, out)
					}
				}
			}
		}
	}
	return tried
}

// plants are what is put into a string, each with what must not be left of it.
func plants(l leaf, how string) map[string][]string {
	const hidden = "a\u200bb\u202ec\U000e0041d\x1b[31me"
	signs := []string{"\u200b", `\u200b`, "\u202e", `\u202e`, "\U000e0041", `\udb40`, "\x1b", `\u001b`, "[31m"}
	out := map[string][]string{hidden: signs, "tok " + key: {key, key[4:20]}, b64(b64("a token " + key)): {b64(b64("a token " + key))}}
	definition := how == "tool" || how == "prompt definition" || how == "resource" || how == "template"
	switch {
	case l.format == "byte":
		out = map[string][]string{b64("is " + key + " or so"): {key, b64("is " + key)[:40]}, hidden: signs, key: {key}}
	case slices.Contains(exempt[how], l.name) || l.format == "name" && (how == "asking" || how == "asked"):
		if l.name == "requestState" || l.name == "resultType" {
			return nil // sealed, or replaced, by the gateway
		}
		out = map[string][]string{hidden: signs}
	case definition: // reviewed by a person; what is hidden is taken out, or withholds it
		out = map[string][]string{hidden: signs}
	case slices.Contains(l.path, "Implementation"): // the gateway says who it is in its place
	case l.name == "src" || l.name == "uri" && (slices.Contains(l.path, "ResourceLink") || slices.Contains(l.path, "EmbeddedResource")):
		out["https://evil.example/x"] = []string{"evil.example"}
		out["file:///evil.example"] = []string{"evil.example"}
	}
	return out
}
