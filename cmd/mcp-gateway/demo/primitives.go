package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/protocol"
)

// primitives are tools, resources and prompts, and who sees them.
func primitives() []plot {
	return []plot{
		{group: "primitives", id: "tool", title: "The tools that a caller holds the scopes of",
			want: "9 tools listed; create_incident_ticket is there", play: listTools},
		{group: "primitives", id: "resource", title: "The runbook is read",
			want: "# Payments runbook", play: readRunbook},
		{group: "primitives", id: "prompt", title: "The prompt is got, with its argument in it",
			want: "1 message, names \"payments\"", play: getPrompt},
		{group: "primitives", id: "host_isolation", title: "Another caller: what it does not see is not there, whatever it knows",
			want: "2 tools listed; hidden unknown_tool, absent unknown_tool, the same words; another's approval approval_invalid", play: isolated},
	}
}

func listTools(ctx context.Context, s *stage) (string, error) {
	r, err := s.ask(ctx, request{by: commander, method: protocol.MethodToolsList})
	if err != nil {
		return "", err
	}
	there := map[bool]string{true: "there", false: "missing"}[slices.Contains(r.tools(), create)]
	return fmt.Sprintf("%d tools listed; create_incident_ticket is %s", len(r.tools()), there), nil
}

func readRunbook(ctx context.Context, s *stage) (string, error) {
	const uri = "runbook://payments/current"
	r, err := s.ask(ctx, request{by: commander, method: protocol.MethodResourcesRead, name: uri, params: `"uri":"` + uri + `"`})
	if err != nil {
		return "", err
	}
	title, _, _ := strings.Cut(r.text("/contents/0/text"), "\n")
	return title, nil
}

func getPrompt(ctx context.Context, s *stage) (string, error) {
	const name = "incident__triage_incident"
	r, err := s.ask(ctx, request{by: commander, method: protocol.MethodPromptsGet, name: name, params: `"name":"` + name + `","arguments":{"service":"payments"}`})
	if err != nil {
		return "", err
	}
	names := map[bool]string{true: "names", false: "does not name"}[strings.Contains(r.text("/messages/0/content/text"), `"payments"`)]
	return fmt.Sprintf("1 message, %s \"payments\"", names), nil
}

func isolated(ctx context.Context, s *stage) (string, error) {
	seen, err := s.ask(ctx, request{by: reader, method: protocol.MethodToolsList})
	if err != nil {
		return "", err
	}
	hidden, err := s.call(ctx, reader, create, p1)
	if err != nil {
		return "", err
	}
	absent, err := s.call(ctx, reader, "incident__delete_everything", `{}`)
	if err != nil {
		return "", err
	}
	same := map[bool]string{true: "the same words", false: "other words"}[hidden.text("/message") == absent.text("/message")]
	id, err := s.approved(ctx, commander, create, strings.Replace(p1, "demo-1", "demo-2", 1))
	if err != nil {
		return "", err
	}
	q := calling(responder, create, strings.Replace(strings.Replace(p1, "demo-1", "demo-2", 1), `"P1"`, `"P3"`, 1))
	q.meta = naming(id)
	borrowed, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d tools listed; hidden %s, absent %s, %s; another's approval %s",
		len(seen.tools()), hidden.said(), absent.said(), same, borrowed.said()), nil
}
