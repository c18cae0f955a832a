package failclosed

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// answering opens a gateway before an upstream whose two tools give an answer.
func answering(t *testing.T, settings string, a stage.Answer) *ground {
	t.Helper()
	return openWith(t, settings, stage.NewPeer().Add(stage.Tool("read"), a).Add(stage.Tool("write"), a))
}

func redactorCells() []cell {
	contract := gateway.CodeContractViolation
	return []cell{
		{"absent at start", never, "It is part of the program.", nil},
		{"fails while running", withhold, "What cannot be cleaned without changing what it says, such as two keys that become one, is not released: `contract_violation`.", func(t *testing.T) {
			g := answering(t, "", stage.Result(`{"content":[],"structuredContent":{"ad\u200bmin":false,"admin":true}}`))
			g.withheld(t, reading, contract)
			g.served(t, healthy)
		}},
		{"slow", never, "It passes over a text once, so that the size of results bounds its time.", nil},
		{"wrong data", withhold, "Text that is no UTF-8 is not released.", func(t *testing.T) {
			g := answering(t, "", stage.Result("{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}"))
			g.withheld(t, reading, gateway.CodeExecutionError)
			g.served(t, healthy)
		}},
		{"full", withhold, "A message beyond `limits.message` is not read; of a result beyond `limits.result` content is left out at its end, and it says so; what can't be cut is not released.", func(t *testing.T) {
			g := answering(t, "limits: {result: 64KiB}\n", stage.Result(stage.Text(`"`+strings.Repeat("x", 1<<20)+`"`)))
			g.withheld(t, reading, gateway.CodeContractViolation)
			g.served(t, healthy)
		}},
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"jsonrpc":`)
	panic(http.ErrAbortHandler)
}

func silent(_ http.ResponseWriter, r *http.Request, _ stage.Message) { <-r.Context().Done() }

func html(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<h1>Sign in</h1>") // the gateway may have gone
}

func endless(w http.ResponseWriter, r *http.Request, _ stage.Message) {
	w.Header().Set("Content-Type", "application/json")
	for _, err := io.WriteString(w, `{"jsonrpc":"2.0","result":"`); err == nil && r.Context().Err() == nil; {
		_, err = io.WriteString(w, strings.Repeat("x", 64<<10))
	}
}

// lost holds that a read whose answer is lost failed, that a write's outcome is
// unknown, and that the other upstream is served.
func lost(t *testing.T, a stage.Answer, read gateway.Code) {
	g := openWithin(t, "500ms", "limits: {result: 64KiB}\n", stage.NewPeer().Add(stage.Tool("read"), a).Add(stage.Tool("write"), a))
	g.withheld(t, reading, read)
	g.withheld(t, writing, gateway.CodeOutcomeUnknown)
	g.served(t, healthy)
}

func upstreamCells() []cell {
	return []cell{
		{"absent at start", withhold, "Its tools are not offered, those of others are; `upstreams list` says why.", func(t *testing.T) {
			other := stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(`"done"`)))
			s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{
				stage.At("up", "http://127.0.0.1:9/mcp").Unmet(), stage.Served(t, "other", other),
			}})
			g := &ground{Stage: s, alice: s.Host("alice"), peer: other}
			g.served(t, healthy)
			g.denied(t, reading, `{}`, gateway.CodeUnknownTool)
		}},
		{"fails while running", unknown, "Lost in the middle of a write: `outcome_unknown`; of a read: `execution_error`.", func(t *testing.T) {
			lost(t, hangUp, gateway.CodeExecutionError)
		}},
		{"slow", unknown, "Over its time a write's outcome is unknown, and a read's code is `timeout`.", func(t *testing.T) {
			lost(t, silent, gateway.CodeTimeout)
		}},
		{"wrong data", unknown, "What is no answer is none, whatever status it came with.", func(t *testing.T) {
			lost(t, html, gateway.CodeExecutionError)
		}},
		{"full", unknown, "A body without end is cut off at its bound.", func(t *testing.T) { lost(t, endless, gateway.CodeContractViolation) }},
	}
}

func memoryCells() []cell {
	none := "The kernel ends the process; what was decided is on record, and the next start closes it (see `make proof`)."
	return []cell{
		{"absent at start", never, none, nil},
		{"fails while running", never, none, nil},
		{"slow", never, "Swapping slows everything alike; the times above hold.", nil},
		{"wrong data", never, "What memory gives is not checked.", nil},
		{"full", denies, "Requests are bounded before they are read, in size and number: `too_large`, `rate_limited`.", func(t *testing.T) {
			var gate sync.WaitGroup
			hold := make(chan struct{})
			g := answering(t, "limits: {body: 64KiB}\n", func(w http.ResponseWriter, r *http.Request, m stage.Message) {
				gate.Done()
				select {
				case <-hold:
				case <-r.Context().Done():
				}
				stage.Say(w, stage.Response(m.ID, stage.Text(`"done"`)))
			})
			if r := g.alice.Call(t, reading, `{"a":"`+strings.Repeat("x", 128<<10)+`"}`); r.Code() != string(gateway.CodeTooLarge) {
				t.Errorf("large: %d %s", r.Status, r.Body)
			}
			crowd(t, g, &gate)
			close(hold)
		}},
	}
}

// crowd fills the upstream's places, and holds that the next caller is told so
// while the other upstream serves.
func crowd(t *testing.T, g *ground, gate *sync.WaitGroup) {
	t.Helper()
	const places = 64
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); work.Wait() })
	gate.Add(places)
	for range places {
		work.Go(func() { _, _ = g.alice.Calling(reading, `{}`).Do(ctx) }) // what it is told is not the point
	}
	gate.Wait()
	if r := g.alice.Call(t, reading, `{}`); r.Code() != string(gateway.CodeUnavailable) {
		t.Errorf("beyond the places: %d %s", r.Status, r.Body)
	}
	g.served(t, healthy)
}
