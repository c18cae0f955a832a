package demo

import (
	"context"
	"fmt"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
)

// safety is consent, scopes, receipts and failures.
func safety() []plot {
	return []plot{
		{group: "safety", id: "approval_required", title: "A write that reaches people, and nobody was asked",
			want: "approval_required", play: unasked},
		{group: "safety", id: "scope_missing", title: "A P1 ticket by one who may open P3 only; for one without any create scope there is no such tool",
			want: "forbidden, unknown_tool", play: unscoped},
		{group: "safety", id: "allowed_write", title: "The caller's own consent, asked through its host: the write runs, and leaves a receipt",
			want: "input_required, then INC-0001; receipt committed, external id INC-0001, verified against the journal", play: consented},
		{group: "safety", id: "forged_receipt", title: "Receipts that nobody gave out, and one among the arguments",
			want: "invalid_arguments; " + forgedWant, play: forged},
		{group: "safety", id: "temporary_error", fixture: true, title: "A read meets HTTP 503: it is sent again",
			want: "business_error; sent 3 times, 2 retries on record", play: temporary},
		{group: "safety", id: "permanent_business_error", title: "A window that the service does not offer: the upstream's own refusal, not sent again",
			want: "business_error unsupported_window; 0 retries on record", play: permanent},
	}
}

func unasked(ctx context.Context, s *stage) (string, error) {
	r, err := s.call(ctx, commander, create, p1)
	if err != nil {
		return "", err
	}
	return r.said(), nil
}

func unscoped(ctx context.Context, s *stage) (string, error) {
	denied, err := s.call(ctx, responder, create, p1)
	if err != nil {
		return "", err
	}
	hidden, err := s.call(ctx, reader, create, p1)
	if err != nil {
		return "", err
	}
	return denied.said() + ", " + hidden.said(), nil
}

// consented has its user asked, and accepts in their name.
func consented(ctx context.Context, s *stage) (string, error) {
	q := calling(commander, create, p1)
	q.elicits = true
	asked, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	question, _, _ := strings.Cut(strings.TrimPrefix(asked.get("/inputRequests"), `{"`), `"`)
	q.params += fmt.Sprintf(`,"inputResponses":{%q:{"action":"accept","content":{"approve":true}}}`, question)
	r, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := s.verified(r.receipt())
	if err != nil {
		return r.said(), err
	}
	return fmt.Sprintf("%s, then %s; receipt %s, external id %s, verified against the journal",
		asked.text("/resultType"), r.text("/structuredContent/ticket_id"), st.Outcome, st.ExternalID), nil
}

func temporary(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Calls()
	s.tracker.Misbehave(tracker.Away, tracker.Away)
	r, err := s.call(ctx, commander, find, `{"request_id":"k-none"}`)
	if err != nil {
		return "", err
	}
	retries, err := s.retries(ctx)
	return fmt.Sprintf("%s; sent %d times, %d retries on record", r.said(), s.tracker.Calls()-before, retries), err
}

func permanent(ctx context.Context, s *stage) (string, error) {
	r, err := s.call(ctx, commander, status, strings.Replace(fiveMinutes, "5", "10", 1))
	if err != nil {
		return "", err
	}
	name := ""
	if strings.Contains(r.text("/content/0/text"), "unsupported_window") {
		name = " unsupported_window"
	}
	retries, err := s.retries(ctx)
	return fmt.Sprintf("%s%s; %d retries on record", r.said(), name, retries), err
}
