package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/receipt"
)

// effects are keys, lost answers, a restart, and what is reconciled.
func effects() []plot {
	return []plot{
		{group: "effects", id: "duplicate_key", title: "The same call with the same key: told again, not done again",
			want: "result, result, the same receipt; done 1", play: duplicate},
		{group: "effects", id: "conflicting_key", title: "The same key with other arguments",
			want: "idempotency_conflict; done 0", play: conflicting},
		{group: "effects", id: "lost_answer_after_commit", fixture: true, title: "A write is done and its answer gets lost: nobody can say, and it is not sent again",
			want: "outcome_unknown, outcome_unknown; done 1; receipt outcome_unknown", play: lostAnswer},
		{group: "effects", id: "restart_in_flight", fixture: true, title: "The gateway is killed while a write is under way",
			want: "no answer; found as outcome_unknown; the repeat result, committed, reconciled_by upstream_repeat; done 1", play: restart},
		{group: "effects", id: "reconcile", fixture: true, title: "Unknown outcomes become known: by the status tool, and by a person",
			want: "outcome_unknown, then committed TIC-3 reconciled_by status_tool; outcome_unknown, then committed PAGE-2 reconciled_by operator; both supersede", play: reconciled},
	}
}

func duplicate(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Done("open_ticket")
	q := calling(commander, openTicket, titled).keyed("k-once")
	first, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	again, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	same := "another receipt"
	if len(first.receipt()) > 0 && string(first.receipt()) == string(again.receipt()) {
		same = "the same receipt"
	}
	return s.did("open_ticket", before, first.said()+", "+again.said()+", "+same), nil
}

func conflicting(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Done("open_ticket")
	r, err := s.ask(ctx, calling(commander, openTicket, `{"title":"Something else"}`).keyed("k-once"))
	if err != nil {
		return "", err
	}
	return s.did("open_ticket", before, r.said()), nil
}

func lostAnswer(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Done("page_on_call")
	s.tracker.Misbehave(tracker.Lost)
	q := calling(commander, page, titled).keyed("k-lost")
	first, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	again, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := s.verified(first.receipt())
	if err != nil {
		return "", err
	}
	return s.did("page_on_call", before, first.said()+", "+again.said()) + fmt.Sprintf("; receipt %s", st.Outcome), nil
}

// restart has a gateway killed while its upstream has done what it asked for and not
// answered, and starts it anew.
func restart(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Done("file_note")
	q := calling(commander, fileNote, titled).keyed("k-restart")
	said, err := s.killed(ctx, q)
	if err != nil {
		return "", err
	}
	g, url, end, err := s.again(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = end() }() // what it put on record is what counts
	open, err := g.Effects().Ledger.Actions(ctx, receipt.Filter{Limit: 1})
	if err != nil || len(open) == 0 {
		return "", errors.Join(err, errors.New("the ledger is empty"))
	}
	q.url = url
	again, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := receipt.Verify(again.receipt(), g.ReceiptKeys(), receipt.Claim{Action: open[0].Action})
	if err == nil {
		err = st.Match(g.Events(ctx))
	}
	if err != nil {
		return again.said(), err
	}
	return s.did("file_note", before, fmt.Sprintf("%s; found as %s; the repeat %s, %s, reconciled_by %s",
		said, open[0].State, again.said(), st.Outcome, st.Reconciled)), nil
}

// killed makes a call by the second gateway, and kills that once the call has arrived.
func (s *stage) killed(ctx context.Context, q request) (said string, err error) {
	s.tracker.Misbehave(tracker.Held)
	c, err := s.start(ctx)
	if err != nil {
		return "", err
	}
	q.url = c.url
	answered := make(chan error, 1)
	go func() {
		_, err := s.ask(ctx, q)
		answered <- err
	}()
	select {
	case <-s.tracker.Arrived():
	case err := <-answered:
		return "", errors.Join(errors.New("the call was answered"), err, c.kill())
	}
	if err := c.kill(); err != nil {
		return "", err
	}
	defer s.tracker.Release()
	if <-answered == nil {
		return "an answer", nil
	}
	return "no answer", nil
}

func reconciled(ctx context.Context, s *stage) (string, error) {
	s.tracker.Misbehave(tracker.Lost, tracker.Lost, tracker.Lost) // as often as it is sent
	byTool, err := s.ask(ctx, calling(commander, openTicket, titled).keyed("k-status"))
	if err != nil {
		return "", err
	}
	found, err := s.known(ctx, byTool)
	if err != nil {
		return "", err
	}
	s.tracker.Misbehave(tracker.Lost)
	byHand, err := s.ask(ctx, calling(commander, page, `{"title":"Second page"}`).keyed("k-hand"))
	if err != nil {
		return "", err
	}
	book := s.gateway.Effects()
	e, err := book.Ledger.Action(ctx, byHand.text("/_meta/mcp-gateway~1error/action_id"))
	if err != nil {
		return "", err
	}
	v := effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: "PAGE-2", Source: receipt.SourceOperator, By: "carol", Why: "the demo"}
	if _, err := book.Reconcile(ctx, e, v); err != nil {
		return "", err
	}
	told, err := s.newest(ctx, e.Action)
	if err != nil {
		return "", err
	}
	both := "one supersedes nothing"
	if found.Supersedes == receipt.DigestOf(byTool.receipt()) && told.Supersedes == receipt.DigestOf(byHand.receipt()) {
		both = "both supersede"
	}
	return fmt.Sprintf("%s, then %s %s reconciled_by %s; %s, then %s %s reconciled_by %s; %s", byTool.said(), found.Outcome, found.ExternalID, found.Reconciled,
		byHand.said(), told.Outcome, told.ExternalID, told.Reconciled, both), nil
}

// known waits until the gateway has found out by itself what became of a call.
func (s *stage) known(ctx context.Context, r *reply) (*receipt.Statement, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	action := r.text("/_meta/mcp-gateway~1error/action_id")
	for {
		st, err := s.newest(ctx, action)
		if err != nil || st.Outcome != gateway.OutcomeUnknown {
			return st, err
		}
		select {
		case <-tick.C:
			s.wait(time.Second) // it asks by the story's time
		case <-ctx.Done():
			return nil, errors.New("the status tool was not asked")
		}
	}
}
