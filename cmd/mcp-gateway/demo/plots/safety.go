package plots

import (
	"context"
	"fmt"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
)

// safety is consent, scopes, receipts and failures.
func safety() []Plot {
	return []Plot{
		{Group: "safety", ID: "approval_required", Title: "A write that reaches people, and nobody was asked",
			Want: "approval_required", play: unasked},
		{Group: "safety", ID: "scope_missing", Title: "A P1 ticket by one who may open P3 only; for one without any create scope there is no such tool",
			Want: "forbidden, unknown_tool", play: unscoped},
		{Group: "safety", ID: "allowed_write", Title: "The caller's own consent, asked through its host: the write runs, and leaves a receipt",
			Want: "input_required, then INC-0001; receipt committed, external id INC-0001, verified against the journal", play: consented},
		{Group: "safety", ID: "forged_receipt", Title: "Receipts that nobody gave out, and one among the arguments",
			Want: "invalid_arguments; " + forgedWant, play: forged},
		{Group: "safety", ID: "temporary_error", Fixture: true, Title: "A read meets HTTP 503: it is sent again",
			Want: "business_error; sent 3 times, 2 retries on record", play: temporary},
		{Group: "safety", ID: "permanent_business_error", Title: "A window that the service does not offer: the upstream's own refusal, not sent again",
			Want: "business_error unsupported_window; 0 retries on record", play: permanent},
	}
}

func unasked(ctx context.Context, s *stage) (string, error) {
	r, err := s.Call(ctx, scene.Commander, create, p1)
	if err != nil {
		return "", err
	}
	return r.Said(), nil
}

func unscoped(ctx context.Context, s *stage) (string, error) {
	denied, err := s.Call(ctx, scene.Responder, create, p1)
	if err != nil {
		return "", err
	}
	hidden, err := s.Call(ctx, scene.Reader, create, p1)
	if err != nil {
		return "", err
	}
	return denied.Said() + ", " + hidden.Said(), nil
}

// consented has its user asked, and accepts in their name.
func consented(ctx context.Context, s *stage) (string, error) {
	q := scene.Calling(scene.Commander, create, p1)
	q.Elicits = true
	asked, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	question, _, _ := strings.Cut(strings.TrimPrefix(asked.Get("/inputRequests"), `{"`), `"`)
	q.Params += fmt.Sprintf(`,"inputResponses":{%q:{"action":"accept","content":{"approve":true}}}`, question)
	r, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := s.Verified(r.Receipt())
	if err != nil {
		return r.Said(), err
	}
	return fmt.Sprintf("%s, then %s; receipt %s, external id %s, verified against the journal",
		asked.Text("/resultType"), r.Text("/structuredContent/ticket_id"), st.Outcome, st.ExternalID), nil
}

func temporary(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Calls()
	s.Tracker.Misbehave(tracker.Away, tracker.Away)
	r, err := s.Call(ctx, scene.Commander, find, `{"request_id":"k-none"}`)
	if err != nil {
		return "", err
	}
	retries, err := s.Retries(ctx)
	return fmt.Sprintf("%s; sent %d times, %d retries on record", r.Said(), s.Tracker.Calls()-before, retries), err
}

func permanent(ctx context.Context, s *stage) (string, error) {
	r, err := s.Call(ctx, scene.Commander, status, strings.Replace(fiveMinutes, "5", "10", 1))
	if err != nil {
		return "", err
	}
	name := ""
	if strings.Contains(r.Text("/content/0/text"), "unsupported_window") {
		name = " unsupported_window"
	}
	retries, err := s.Retries(ctx)
	return fmt.Sprintf("%s%s; %d retries on record", r.Said(), name, retries), err
}
