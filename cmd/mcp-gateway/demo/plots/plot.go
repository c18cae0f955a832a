package plots

import (
	"context"
	"fmt"
	"slices"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
)

// Plot is one case.
type Plot struct {
	Group, ID, Title string

	Fixture bool   // the upstream's part is played: it does what it is told to
	Abreast bool   // its calls are made at the same time
	Want    string // what must be observed
	play    func(ctx context.Context, s *stage) (string, error)
}

// All are all cases in their order. The demo ends after the last: later cases
// stand on what earlier ones left.
func All() []Plot {
	return slices.Concat(contract(), loop(), safety(), primitives(), eras(), people(), effects())
}

// stage is what a case is played on.
type stage struct{ *scene.Stage }

// Play plays the case and returns what was observed.
func (p *Plot) Play(ctx context.Context, s *scene.Stage) (string, error) {
	return p.play(ctx, &stage{s})
}

// The tools of the story, as hosts name them.
const (
	status      = "incident__get_service_status"
	deployments = "incident__list_recent_deployments"
	create      = "incident__create_incident_ticket"
	lookup      = "incident__get_incident_ticket"
	openTicket  = "tracker__open_ticket"
	fileNote    = "tracker__file_note"
	page        = "tracker__page_on_call"
	erase       = "tracker__erase_board"
	find        = "tracker__find_ticket"
)

// Their arguments.
const (
	fiveMinutes = `{"service":"payments","window_minutes":5}`
	lastHour    = `{"service":"payments","since":"2026-08-31T23:00:00Z"}`
	p1          = `{"title":"Checkout fails for one in five","severity":"P1","evidence_ids":["status-payments-0001","deploy-payments-0042"],"request_id":"demo-1"}`
	titled      = `{"title":"Checkout fails"}`
)

// did tells what was answered, and how often the tracker did something by a tool
// meanwhile.
func (s *stage) did(tool string, before int, said string) string {
	return fmt.Sprintf("%s; done %d", said, s.Tracker.Done(tool)-before)
}
