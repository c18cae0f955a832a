package promises

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

// receiver is one of OTLP/HTTP: it keeps what comes, by path, unpacked.
type receiver struct {
	mu  sync.Mutex
	got map[string][]byte
}

func listen(t *testing.T) (*receiver, string) {
	r := &receiver{got: map[string][]byte{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		var body io.Reader = req.Body
		if req.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(req.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = unpacked
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[req.URL.Path] = append(r.got[req.URL.Path], text...)
	}))
	t.Cleanup(s.Close)
	return r, s.URL
}

func (r *receiver) all(path string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.got[path])
}

// Fifty canaries, in every place where a value comes in: none is in traces, metrics or
// logs that a receiver of OTLP gets, nor in journal, index, state, the operator's log,
// or any form of export. Subjects of the configuration are known by pseudonym.
func TestPromise4FiftyCanaries(t *testing.T) {
	otlp, url := listen(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "100")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
	var canaries []string
	canary := func() string {
		c := fmt.Sprintf("canary%dx%d", len(canaries), 7919*(len(canaries)+1))
		canaries = append(canaries, c)
		return c
	}
	g := open(t, "")
	for range 5 { // in values, in members, deep, refused for lack of a scope
		g.alice.Call(t, reading, `{"q":"`+canary()+`"}`)
		g.alice.Call(t, reading, `{"`+canary()+`":1}`)
		g.alice.Call(t, writing, `{"a":[{"b":["`+canary()+`"]}]}`)
		g.Host("mallory").Call(t, writing, `{"q":"`+canary()+`"}`)
		g.alice.Call(t, "up__"+canary(), `{}`) // a name that nobody reviewed
		// what an upstream says: a result, an error, and its message on the way
		g.answers(stage.Result(stage.Text(`"` + canary() + `"`)))
		g.alice.Call(t, reading, `{}`)
		g.answers(stage.Fault(`{"code":-32000,"message":"` + canary() + `","data":"` + canary() + `"}`))
		g.alice.Call(t, writing, `{}`)
		g.answers(stage.Result(stage.Text(`"done"`)))
		// what hosts say of themselves, and what is no request at all
		r := g.alice.Ask("tools/list", "").With("Authorization", "Bearer "+canary())
		r.Send(t)
		g.alice.Ask("evil/"+canary(), "").Send(t)
	}
	if len(canaries) != 50 {
		t.Fatalf("%d canaries", len(canaries))
	}
	stage.Await(t, "metrics and traces are sent", func() bool {
		return len(otlp.all("/v1/metrics")) > 0 && bytes.Contains(otlp.all("/v1/traces"), []byte("tools/call"))
	})
	if _, err := g.run(t, "export", "--format", "otlp", "--endpoint", url+"/v1/logs"); err != nil {
		t.Fatal(err)
	}
	places := map[string][]byte{
		"traces": otlp.all("/v1/traces"), "metrics": otlp.all("/v1/metrics"), "logs": otlp.all("/v1/logs"),
		"journal": g.Journal(t), "state": g.Kept(t), "the operator's log": []byte(g.Log()),
	}
	for _, form := range []string{"ocsf", "cloudevents", "otlp", "jsonl"} {
		text, err := g.run(t, "export", "--format", form)
		if err != nil {
			t.Fatal(err)
		}
		places[form] = []byte(text)
	}
	for where, text := range places {
		if len(text) == 0 {
			t.Errorf("nothing was in %s", where)
		}
		for _, c := range canaries {
			if bytes.Contains(text, []byte(c)) {
				t.Errorf("%s is in %s", c, where)
			}
		}
		if where != "the operator's log" && strings.Contains(string(text), `"subject":"alice"`) {
			t.Errorf("the subject is in %s", where)
		}
	}
	if n := len(only(g.events(t), audit.ToolDecided, audit.ToolRefused)); n < 30 {
		t.Errorf("%d calls are on record", n)
	}
}
