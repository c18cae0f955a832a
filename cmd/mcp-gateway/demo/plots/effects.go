package plots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/receipt"
)

// effects are keys, lost answers, a restart, and what is reconciled.
func effects() []Plot {
	return []Plot{
		{Group: "effects", ID: "duplicate_key", Title: "The same call with the same key: told again, not done again",
			Want: "result, result, the same receipt; done 1", play: duplicate},
		{Group: "effects", ID: "conflicting_key", Title: "The same key with other arguments",
			Want: "idempotency_conflict; done 0", play: conflicting},
		{Group: "effects", ID: "lost_answer_after_commit", Fixture: true, Title: "A write is done and its answer gets lost: nobody can say, and it is not sent again",
			Want: "outcome_unknown, outcome_unknown; done 1; receipt outcome_unknown", play: lostAnswer},
		{Group: "effects", ID: "restart_in_flight", Fixture: true, Title: "The gateway is killed while a write is under way",
			Want: "no answer; found as outcome_unknown; the repeat result, committed, reconciled_by upstream_repeat; done 1", play: restart},
		{Group: "effects", ID: "reconcile", Fixture: true, Title: "Unknown outcomes become known: by the status tool, and by a person",
			Want: "outcome_unknown, then committed TIC-3 reconciled_by status_tool; outcome_unknown, then committed PAGE-2 reconciled_by operator; both supersede", play: reconciled},
	}
}

func duplicate(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("open_ticket")
	q := scene.Calling(scene.Commander, openTicket, titled).Keyed("k-once")
	first, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	again, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	same := "another receipt"
	if len(first.Receipt()) > 0 && string(first.Receipt()) == string(again.Receipt()) {
		same = "the same receipt"
	}
	return s.did("open_ticket", before, first.Said()+", "+again.Said()+", "+same), nil
}

func conflicting(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("open_ticket")
	r, err := s.Ask(ctx, scene.Calling(scene.Commander, openTicket, `{"title":"Something else"}`).Keyed("k-once"))
	if err != nil {
		return "", err
	}
	return s.did("open_ticket", before, r.Said()), nil
}

func lostAnswer(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("page_on_call")
	s.Tracker.Misbehave(tracker.Lost)
	q := scene.Calling(scene.Commander, page, titled).Keyed("k-lost")
	first, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	again, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := s.Verified(first.Receipt())
	if err != nil {
		return "", err
	}
	return s.did("page_on_call", before, first.Said()+", "+again.Said()) + fmt.Sprintf("; receipt %s", st.Outcome), nil
}

// restart has a gateway killed while its upstream has done what it asked for and not
// answered, and starts it anew.
func restart(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("file_note")
	q := scene.Calling(scene.Commander, fileNote, titled).Keyed("k-restart")
	said, err := s.killed(ctx, q)
	if err != nil {
		return "", err
	}
	g, url, end, err := s.Again(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = end() }() // what it put on record is what counts
	open, err := g.Effects().Ledger.Actions(ctx, receipt.Filter{Limit: 1})
	if err != nil || len(open) == 0 {
		return "", errors.Join(err, errors.New("the ledger is empty"))
	}
	q.URL = url
	again, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	st, err := receipt.Verify(again.Receipt(), g.ReceiptKeys(), receipt.Claim{Action: open[0].Action})
	if err == nil {
		err = st.Match(g.Events(ctx))
	}
	if err != nil {
		return again.Said(), err
	}
	return s.did("file_note", before, fmt.Sprintf("%s; found as %s; the repeat %s, %s, reconciled_by %s",
		said, open[0].State, again.Said(), st.Outcome, st.Reconciled)), nil
}

// killed makes a call by the second gateway, and kills that once the call has arrived.
func (s *stage) killed(ctx context.Context, q scene.Request) (said string, err error) {
	s.Tracker.Misbehave(tracker.Held)
	c, err := s.Start(ctx)
	if err != nil {
		return "", err
	}
	q.URL = c.URL
	answered := make(chan error, 1)
	go func() {
		_, err := s.Ask(ctx, q)
		answered <- err
	}()
	select {
	case <-s.Tracker.Arrived():
	case err := <-answered:
		return "", errors.Join(errors.New("the call was answered"), err, c.Kill())
	}
	if err := c.Kill(); err != nil {
		return "", err
	}
	defer s.Tracker.Release()
	if <-answered == nil {
		return "an answer", nil
	}
	return "no answer", nil
}

func reconciled(ctx context.Context, s *stage) (string, error) {
	s.Tracker.Misbehave(tracker.Lost, tracker.Lost, tracker.Lost) // as often as it is sent
	byTool, err := s.Ask(ctx, scene.Calling(scene.Commander, openTicket, titled).Keyed("k-status"))
	if err != nil {
		return "", err
	}
	found, err := s.known(ctx, byTool)
	if err != nil {
		return "", err
	}
	s.Tracker.Misbehave(tracker.Lost)
	byHand, err := s.Ask(ctx, scene.Calling(scene.Commander, page, `{"title":"Second page"}`).Keyed("k-hand"))
	if err != nil {
		return "", err
	}
	book := s.Gateway.Effects()
	e, err := book.Ledger.Action(ctx, byHand.Text("/_meta/mcp-gateway~1error/action_id"))
	if err != nil {
		return "", err
	}
	v := effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: "PAGE-2", Source: receipt.SourceOperator, By: "carol", Why: "the demo"}
	if _, err := book.Reconcile(ctx, e, v); err != nil {
		return "", err
	}
	told, err := s.Newest(ctx, e.Action)
	if err != nil {
		return "", err
	}
	both := "one supersedes nothing"
	if found.Supersedes == receipt.DigestOf(byTool.Receipt()) && told.Supersedes == receipt.DigestOf(byHand.Receipt()) {
		both = "both supersede"
	}
	return fmt.Sprintf("%s, then %s %s reconciled_by %s; %s, then %s %s reconciled_by %s; %s", byTool.Said(), found.Outcome, found.ExternalID, found.Reconciled,
		byHand.Said(), told.Outcome, told.ExternalID, told.Reconciled, both), nil
}

// known waits until the gateway has found out by itself what became of a call.
func (s *stage) known(ctx context.Context, r *scene.Reply) (*receipt.Statement, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	action := r.Text("/_meta/mcp-gateway~1error/action_id")
	for {
		st, err := s.Newest(ctx, action)
		if err != nil || st.Outcome != gateway.OutcomeUnknown {
			return st, err
		}
		select {
		case <-tick.C:
			s.Wait(time.Second) // it asks by the story's time
		case <-ctx.Done():
			return nil, errors.New("the status tool was not asked")
		}
	}
}
