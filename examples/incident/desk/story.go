package desk

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The story: a deployment at 23:42 made the payments service fail, and it is
// midnight now.
const (
	service    = "payments"
	runbookURI = "runbook://payments/current"
	now        = "2026-09-01T00:00:00Z"
)

// status is what get_service_status knows of the last five minutes.
var status = serviceStatus{
	Service:             service,
	ObservedAt:          now,
	WindowMinutes:       5,
	ErrorRate:           0.182,
	CheckoutFailureRate: 0.21,
	EvidenceID:          "status-payments-0001",
}

// deployed is the one deployment of the night.
var deployed = deployment{
	ID:         "deploy-payments-0042",
	Service:    service,
	Version:    "payments-3.7.0",
	DeployedAt: time.Date(2026, 8, 31, 23, 42, 0, 0, time.UTC),
}

const runbook = `# Payments runbook

Severity P1: the error rate is 0.15 or more, and checkouts are affected.
Severity P2: the error rate is 0.05 or more, or checkouts are affected.
Severity P3: anything else that a customer notices.
Severity P4: anything that only we notice.

1. Read the status over the last 5 minutes.
2. List the deployments of the last hour.
3. Open one ticket, with the evidence ids of what was read.
`

func addRunbook(server *mcp.Server) {
	server.AddResource(
		&mcp.Resource{URI: runbookURI, Name: "payments_runbook", Title: "Payments runbook", MIMEType: "text/markdown",
			Description: "How to judge and handle an incident of the payments service."},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
				{URI: runbookURI, MIMEType: "text/markdown", Text: runbook},
			}}, nil
		})
}

func addTriage(server *mcp.Server) {
	server.AddPrompt(
		&mcp.Prompt{Name: "triage_incident", Title: "Triage an incident",
			Description: "Judge the severity of an incident by the runbook and the evidence.",
			Arguments:   []*mcp.PromptArgument{{Name: "service", Description: "The service in question.", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := fmt.Sprintf("Triage the incident of the service %q. Read %s, the service status over 5 minutes and the deployments of the last hour. "+
				"Name the severity with the criterion that it meets, and the evidence ids. Open a ticket only when asked to.",
				req.Params.Arguments["service"], runbookURI)
			return &mcp.GetPromptResult{
				Description: "Triage by runbook and evidence",
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
			}, nil
		})
}
