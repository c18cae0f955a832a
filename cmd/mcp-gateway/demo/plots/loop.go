package plots

import (
	"context"
	"fmt"
	"sync"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/protocol"
)

// loop is several calls of one run.
func loop() []Plot {
	return []Plot{
		{Group: "loop", ID: "result_correlation", Abreast: true, Title: "Two calls at the same time: each answer under the id of its own",
			Want: "7: error rate 0.182; \"b\": deploy-payments-0042", play: correlated},
		{Group: "loop", ID: "three_calls", Title: "Three calls of one run, joined by what the host calls it",
			Want: "result, result, business_error; 3 decided, 3 finished", play: three},
		{Group: "loop", ID: "mismatched_call_id", Fixture: true, Title: "An upstream answers under the id of another call",
			Want: "execution_error; nothing of the answer is passed on", play: mismatched},
		{Group: "loop", ID: "budget_exhausted", Title: "A loop that does not end: twelve calls an hour are its budget",
			Want: "12 results, then rate_limited", play: exhausted},
	}
}

func correlated(ctx context.Context, s *stage) (string, error) {
	first, second := scene.Calling(scene.Commander, status, fiveMinutes), scene.Calling(scene.Commander, deployments, lastHour)
	first.ID, second.ID = "7", `"b"`
	var replies [2]*scene.Reply
	var errs [2]error
	var both sync.WaitGroup
	url := s.URL
	for i, q := range []scene.Request{first, second} {
		body, header := s.Render(q)
		s.Sent++
		both.Go(func() { replies[i], errs[i] = s.Deliver(ctx, url, q.By, body, header) })
	}
	both.Wait()
	s.Wait(scene.Step)
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s: error rate %s; %s: %s", replies[0].ID, replies[0].Get("/structuredContent/error_rate"),
		replies[1].ID, replies[1].Text("/structuredContent/deployments/0/id")), nil
}

func three(ctx context.Context, s *stage) (string, error) {
	said := ""
	for i, q := range []scene.Request{
		scene.Calling(scene.Commander, status, fiveMinutes), scene.Calling(scene.Commander, deployments, lastHour), scene.Calling(scene.Commander, lookup, `{"request_id":"none"}`),
	} {
		q.Meta = fmt.Sprintf(`%q:"run-1",%q:"step-%d"`, protocol.MetaRun, protocol.MetaStep, i+1)
		r, err := s.Ask(ctx, q)
		if err != nil {
			return "", err
		}
		said += r.Said() + map[bool]string{true: ", ", false: "; "}[i < 2]
	}
	decided, finished, err := s.OfRun(ctx, "run-1")
	return said + fmt.Sprintf("%d decided, %d finished", decided, finished), err
}

func mismatched(ctx context.Context, s *stage) (string, error) {
	s.Tracker.Misbehave(tracker.WrongID, tracker.WrongID, tracker.WrongID)
	r, err := s.Call(ctx, scene.Commander, find, `{"request_id":"k-none"}`)
	s.Tracker.Misbehave()
	if err != nil {
		return "", err
	}
	if r.Get("/structuredContent") != "" {
		return r.Said() + "; the answer was passed on", nil
	}
	return r.Said() + "; nothing of the answer is passed on", nil
}

func exhausted(ctx context.Context, s *stage) (string, error) {
	for n := 0; n < 100; n++ {
		r, err := s.Call(ctx, scene.Looper, status, fiveMinutes)
		if err != nil {
			return "", err
		}
		if code := r.Code(); code != "" {
			return fmt.Sprintf("%d results, then %s", n, code), nil
		}
	}
	return "no end", nil
}
