package desk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools are the four tools over one desk.
type tools struct {
	desk   *desk
	record *recorder
}

// businessError travels as a tool result with isError, its text this JSON.
type businessError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the error as JSON, for a host to read its code.
func (e businessError) Error() string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // two strings: cannot fail
	}
	return string(text)
}

func (t *tools) addTo(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_service_status", Title: "Service status",
		Description: "Error rate and checkout failures of a service over the last minutes.",
		InputSchema: statusInputSchema, OutputSchema: statusOutputSchema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, t.getServiceStatus)
	addDeployments(server, t, reviewedDescription)
	mcp.AddTool(server, &mcp.Tool{
		Name: "create_incident_ticket", Title: "Create incident ticket",
		Description: "Opens an incident ticket and pages the on-call engineer. The same request_id opens one ticket only.",
		InputSchema: createInputSchema, OutputSchema: ticketSchema,
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true},
	}, t.createIncidentTicket)
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_incident_ticket", Title: "Incident ticket",
		Description: "The ticket that was opened with a request_id.",
		InputSchema: getInputSchema, OutputSchema: ticketSchema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, t.getIncidentTicket)
}

// addDeployments adds list_recent_deployments under a description; adding it
// again replaces it and tells the host.
func addDeployments(server *mcp.Server, t *tools, description string) {
	mcp.AddTool(server, &mcp.Tool{
		Name: "list_recent_deployments", Title: "Recent deployments",
		Description: description,
		InputSchema: deploymentsInputSchema, OutputSchema: deploymentsOutputSchema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, t.listRecentDeployments)
}

type statusInput struct {
	Service       string `json:"service"`
	WindowMinutes int    `json:"window_minutes"`
}

type serviceStatus struct {
	Service             string  `json:"service"`
	ObservedAt          string  `json:"observed_at"`
	WindowMinutes       int     `json:"window_minutes"`
	ErrorRate           float64 `json:"error_rate"`
	CheckoutFailureRate float64 `json:"checkout_failure_rate"`
	EvidenceID          string  `json:"evidence_id"`
}

func (t *tools) getServiceStatus(_ context.Context, _ *mcp.CallToolRequest, in statusInput) (*mcp.CallToolResult, serviceStatus, error) {
	if err := t.record.call("get_service_status", ""); err != nil {
		return nil, serviceStatus{}, err
	}
	if in.WindowMinutes != status.WindowMinutes {
		return nil, serviceStatus{}, businessError{"unsupported_window", "only a window of 5 minutes is measured"}
	}
	return nil, status, nil
}

type deploymentsInput struct {
	Service string `json:"service"`
	Since   string `json:"since"`
}

type deployment struct {
	ID         string    `json:"id"`
	Service    string    `json:"service"`
	Version    string    `json:"version"`
	DeployedAt time.Time `json:"deployed_at"`
}

type deployments struct {
	Deployments []deployment `json:"deployments"`
}

func (t *tools) listRecentDeployments(_ context.Context, _ *mcp.CallToolRequest, in deploymentsInput) (*mcp.CallToolResult, deployments, error) {
	if err := t.record.call("list_recent_deployments", ""); err != nil {
		return nil, deployments{}, err
	}
	since, err := time.Parse(time.RFC3339, in.Since)
	if err != nil {
		return nil, deployments{}, businessError{"invalid_since", "since is no time of RFC 3339"}
	}
	out := deployments{Deployments: []deployment{}}
	if !deployed.DeployedAt.Before(since) {
		out.Deployments = append(out.Deployments, deployed)
	}
	return nil, out, nil
}

func (t *tools) createIncidentTicket(_ context.Context, _ *mcp.CallToolRequest, in ticketInput) (*mcp.CallToolResult, ticket, error) {
	created, err := t.desk.create(in)
	if rerr := t.record.call("create_incident_ticket", created.TicketID); rerr != nil {
		return nil, ticket{}, rerr
	}
	return nil, created, err
}

type ticketQuery struct {
	RequestID string `json:"request_id"`
}

func (t *tools) getIncidentTicket(_ context.Context, _ *mcp.CallToolRequest, in ticketQuery) (*mcp.CallToolResult, ticket, error) {
	found, err := t.desk.get(in.RequestID)
	if rerr := t.record.call("get_incident_ticket", found.TicketID); rerr != nil {
		return nil, ticket{}, rerr
	}
	return nil, found, err
}
