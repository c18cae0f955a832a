package demo

import (
	"context"
	"fmt"
	"sync"

	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/protocol"
)

// loop is several calls of one run.
func loop() []plot {
	return []plot{
		{group: "loop", id: "result_correlation", abreast: true, title: "Two calls at the same time: each answer under the id of its own",
			want: "7: error rate 0.182; \"b\": deploy-payments-0042", play: correlated},
		{group: "loop", id: "three_calls", title: "Three calls of one run, joined by what the host calls it",
			want: "result, result, business_error; 3 decided, 3 finished", play: three},
		{group: "loop", id: "mismatched_call_id", fixture: true, title: "An upstream answers under the id of another call",
			want: "execution_error; nothing of the answer is passed on", play: mismatched},
		{group: "loop", id: "budget_exhausted", title: "A loop that does not end: twelve calls an hour are its budget",
			want: "12 results, then rate_limited", play: exhausted},
	}
}

func correlated(ctx context.Context, s *stage) (string, error) {
	first, second := calling(commander, status, fiveMinutes), calling(commander, deployments, lastHour)
	first.id, second.id = "7", `"b"`
	var replies [2]*reply
	var errs [2]error
	var both sync.WaitGroup
	url := s.url
	for i, q := range []request{first, second} {
		body, header := s.render(q)
		s.sent++
		both.Go(func() { replies[i], errs[i] = s.deliver(ctx, url, q.by, body, header) })
	}
	both.Wait()
	s.wait(step)
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s: error rate %s; %s: %s", replies[0].id, replies[0].get("/structuredContent/error_rate"),
		replies[1].id, replies[1].text("/structuredContent/deployments/0/id")), nil
}

func three(ctx context.Context, s *stage) (string, error) {
	said := ""
	for i, q := range []request{
		calling(commander, status, fiveMinutes), calling(commander, deployments, lastHour), calling(commander, lookup, `{"request_id":"none"}`),
	} {
		q.meta = fmt.Sprintf(`%q:"run-1",%q:"step-%d"`, protocol.MetaRun, protocol.MetaStep, i+1)
		r, err := s.ask(ctx, q)
		if err != nil {
			return "", err
		}
		said += r.said() + map[bool]string{true: ", ", false: "; "}[i < 2]
	}
	decided, finished, err := s.ofRun(ctx, "run-1")
	return said + fmt.Sprintf("%d decided, %d finished", decided, finished), err
}

func mismatched(ctx context.Context, s *stage) (string, error) {
	s.tracker.Misbehave(tracker.WrongID, tracker.WrongID, tracker.WrongID)
	r, err := s.call(ctx, commander, find, `{"request_id":"k-none"}`)
	s.tracker.Misbehave()
	if err != nil {
		return "", err
	}
	if r.get("/structuredContent") != "" {
		return r.said() + "; the answer was passed on", nil
	}
	return r.said() + "; nothing of the answer is passed on", nil
}

func exhausted(ctx context.Context, s *stage) (string, error) {
	for n := 0; n < 100; n++ {
		r, err := s.call(ctx, looper, status, fiveMinutes)
		if err != nil {
			return "", err
		}
		if code := r.code(); code != "" {
			return fmt.Sprintf("%d results, then %s", n, code), nil
		}
	}
	return "no end", nil
}
