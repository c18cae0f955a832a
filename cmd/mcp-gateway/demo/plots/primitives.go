package plots

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/protocol"
)

// primitives are tools, resources and prompts, and who sees them.
func primitives() []Plot {
	return []Plot{
		{Group: "primitives", ID: "tool", Title: "The tools that a caller holds the scopes of",
			Want: "9 tools listed; create_incident_ticket is there", play: listTools},
		{Group: "primitives", ID: "resource", Title: "The runbook is read",
			Want: "# Payments runbook", play: readRunbook},
		{Group: "primitives", ID: "prompt", Title: "The prompt is got, with its argument in it",
			Want: "1 message, names \"payments\"", play: getPrompt},
		{Group: "primitives", ID: "host_isolation", Title: "Another caller: what it does not see is not there, whatever it knows",
			Want: "2 tools listed; hidden unknown_tool, absent unknown_tool, the same words; another's approval approval_invalid", play: isolated},
	}
}

func listTools(ctx context.Context, s *stage) (string, error) {
	r, err := s.Ask(ctx, scene.Request{By: scene.Commander, Method: protocol.MethodToolsList})
	if err != nil {
		return "", err
	}
	there := map[bool]string{true: "there", false: "missing"}[slices.Contains(r.Tools(), create)]
	return fmt.Sprintf("%d tools listed; create_incident_ticket is %s", len(r.Tools()), there), nil
}

func readRunbook(ctx context.Context, s *stage) (string, error) {
	const uri = "runbook://payments/current"
	r, err := s.Ask(ctx, scene.Request{By: scene.Commander, Method: protocol.MethodResourcesRead, Name: uri, Params: `"uri":"` + uri + `"`})
	if err != nil {
		return "", err
	}
	title, _, _ := strings.Cut(r.Text("/contents/0/text"), "\n")
	return title, nil
}

func getPrompt(ctx context.Context, s *stage) (string, error) {
	const name = "incident__triage_incident"
	r, err := s.Ask(ctx, scene.Request{By: scene.Commander, Method: protocol.MethodPromptsGet, Name: name, Params: `"name":"` + name + `","arguments":{"service":"payments"}`})
	if err != nil {
		return "", err
	}
	names := map[bool]string{true: "names", false: "does not name"}[strings.Contains(r.Text("/messages/0/content/text"), `"payments"`)]
	return fmt.Sprintf("1 message, %s \"payments\"", names), nil
}

func isolated(ctx context.Context, s *stage) (string, error) {
	seen, err := s.Ask(ctx, scene.Request{By: scene.Reader, Method: protocol.MethodToolsList})
	if err != nil {
		return "", err
	}
	hidden, err := s.Call(ctx, scene.Reader, create, p1)
	if err != nil {
		return "", err
	}
	absent, err := s.Call(ctx, scene.Reader, "incident__delete_everything", `{}`)
	if err != nil {
		return "", err
	}
	same := map[bool]string{true: "the same words", false: "other words"}[hidden.Text("/message") == absent.Text("/message")]
	id, err := s.approved(ctx, scene.Commander, create, strings.Replace(p1, "demo-1", "demo-2", 1))
	if err != nil {
		return "", err
	}
	q := scene.Calling(scene.Responder, create, strings.Replace(strings.Replace(p1, "demo-1", "demo-2", 1), `"P1"`, `"P3"`, 1))
	q.Meta = naming(id)
	borrowed, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d tools listed; hidden %s, absent %s, %s; another's approval %s",
		len(seen.Tools()), hidden.Said(), absent.Said(), same, borrowed.Said()), nil
}
