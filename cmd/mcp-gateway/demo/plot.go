package demo

import (
	"context"
	"fmt"
	"slices"
)

// plot is one case.
type plot struct {
	group, id, title string

	fixture bool   // the upstream's part is played: it does what it is told to
	abreast bool   // its calls are made at the same time
	want    string // what must be observed
	play    func(ctx context.Context, s *stage) (string, error)
}

// plots are all cases in their order. The demo ends after the last: later cases
// stand on what earlier ones left.
func plots() []plot {
	return slices.Concat(contract(), loop(), safety(), primitives(), eras(), people(), effects())
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
	return fmt.Sprintf("%s; done %d", said, s.tracker.Done(tool)-before)
}
