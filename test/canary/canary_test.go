package canary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// collector is a receiver of metrics, traces and the log; it keeps every byte.
type collector struct {
	mu   sync.Mutex
	kept bytes.Buffer
	got  map[string]int // requests by path
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what did not come whole is looked at as far as it came
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[r.URL.Path]++
	c.kept.Write(body)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// flock numbers canaries and remembers which path each was put into.
type flock struct{ paths map[string]string }

func (f *flock) next(path string) string {
	c := fmt.Sprintf("canary-%03d-kq7w", len(f.paths))
	f.paths[c] = path
	return c
}

// TestCanaries: at least 50 paths, and no canary anywhere but with whom it is meant
// for.
func TestCanaries(t *testing.T) {
	received := &collector{got: map[string]int{}}
	server := httptest.NewServer(received)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	f := &flock{paths: map[string]string{}}
	t.Cleanup(func() { // the gateway is closed by then, and has sent all
		received.mu.Lock()
		defer received.mu.Unlock()
		for _, signal := range []string{"metrics", "traces", "logs"} {
			if received.got["/v1/"+signal] == 0 {
				t.Errorf("no %s were sent: %v", signal, received.got)
			}
		}
		f.look(t, "metrics, traces and records of the log that were sent", received.kept.Bytes())
	})

	peer := stage.NewPeer()
	peer.Add(stage.Tool("echo"), stage.Result(stage.Text(`"ok"`))).Add(stage.Tool("write"), stage.Result(stage.Text(`"ok"`)))
	peer.Add(`{"name":"strict","inputSchema":{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"},"note":{"type":"string"}}}}`, stage.Result(stage.Text(`"ok"`)))
	answers := map[string]string{} // tool → canary
	for i, name := range slices.Sorted(maps.Keys(says())) {
		tool := fmt.Sprintf("says%d", i)
		c := f.next("upstream: " + name)
		answers[tool] = c
		peer.Add(stage.Tool(tool), says()[name](c))
	}
	schema := f.next("upstream: result that breaks its schema")
	peer.Add(`{"name":"breaks","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`,
		stage.Result(`{"resultType":"complete","content":[],"structuredContent":{"n":"`+schema+`","`+schema+`":1}}`))
	peer.On("server/discover", stage.Result(strings.Replace(stage.Discovered, `{"tools":{}}`, `{"tools":{},"prompts":{},"resources":{},"completions":{}}`, 1)))
	const cache = `{"resultType":"complete","ttlMs":0,"cacheScope":"public",`
	peer.On(protocol.MethodPromptsList, stage.Result(cache+`"prompts":[{"name":"greet","arguments":[{"name":"who"}]}]}`))
	peer.On(protocol.MethodResourcesList, stage.Result(cache+`"resources":[{"uri":"test://page","name":"page"}]}`))
	peer.On(protocol.MethodResourceTemplatesList, stage.Result(cache+`"resourceTemplates":[{"uriTemplate":"test://row/{id}","name":"row"}]}`))
	prompt, content, value := f.next("upstream: prompt"), f.next("upstream: contents"), f.next("upstream: completion")
	peer.On(protocol.MethodPromptsGet, stage.Result(`{"resultType":"complete","description":"`+prompt+`","messages":[{"role":"user","content":{"type":"text","text":"`+prompt+`"}}]}`))
	peer.On(protocol.MethodResourcesRead, stage.Result(cache+`"contents":[{"uri":"test://page","text":"`+content+`"}]}`))
	peer.On(protocol.MethodComplete, stage.Result(`{"resultType":"complete","completion":{"values":["`+value+`"]}}`))

	pipe, token := f.next("upstream: standard output, errors and notifications of a process"), "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	f.paths[token] = "upstream: standard error"
	told := filepath.Join(t.TempDir(), "canary") // an operator's arguments are kept, but for secrets in them
	if err := os.WriteFile(told, []byte(pipe), 0o600); err != nil {
		t.Fatal(err)
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer).With("timeout: 2s"), stage.Process("child", "child", told, token)},
		Review: func(id gateway.ItemID) string {
			switch id.Name {
			case "write":
				return stage.Write("use")
			case "strict":
				return stage.Read("use") + ", bounds: {/note: {max_length: 20}}"
			}
			return stage.Read("use")
		},
	})
	alice := s.Host("alice")
	heard := func(path string, r *stage.Request, mine ...string) {
		reply, err := r.Do(t.Context())
		if err != nil {
			return // a request that can't even be sent leaves nothing
		}
		if reply.Fault != nil || reply.Code() != "" {
			told := reply.Body
			for _, c := range mine { // a host may be told what it sent itself
				told = bytes.ReplaceAll(told, []byte(c), nil)
			}
			f.look(t, "the refusal of "+path, told)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hosts(alice))) {
		c := f.next("host: " + name)
		heard(name, hosts(alice)[name](c), c)
	}
	c := f.next("host: stranger")
	heard("stranger", stranger(s.Host(""), c), c)
	for tool := range answers {
		r := alice.Calling("up__"+tool, `{}`)
		r.Meta = strings.Replace(stage.Meta, "{", `{"progressToken":7,"io.modelcontextprotocol/logLevel":"debug",`, 1)
		r.Meta = strings.Replace(r.Meta, `:{},"`, `:{"elicitation":{"form":{}}},"`, 1)
		heard("up__"+tool, r)
	}
	for _, tool := range []string{"up__breaks", "child__fails", "child__noise", "child__dies"} {
		heard(tool, alice.Calling(tool, `{}`))
	}
	heard("prompt", alice.Ask(protocol.MethodPromptsGet, `"name":"up__greet"`).With(protocol.HeaderName, "up__greet"))
	heard("contents", alice.Ask(protocol.MethodResourcesRead, `"uri":"test://page"`).With(protocol.HeaderName, "test://page"))
	heard("completion", alice.Ask(protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":""}`))

	stage.Await(t, "the stranger is counted", func() bool { return s.Counted(t, gateway.CodeUnauthenticated) > 0 })
	if len(f.paths) < 50 {
		t.Fatalf("%d canaries", len(f.paths))
	}
	f.look(t, "the journal", s.Journal(t))
	f.look(t, "the log", logged(s.Log()))
	f.look(t, "what is kept", s.Kept(t))
	if strings.Contains(s.Log(), token) {
		t.Error("a token on standard error stands in the log")
	}
	t.Logf("canaries: %d paths, none found in journal, log, kept files, refusals, and in metrics, traces and log records that were sent", len(f.paths))
}

// look fails for each canary that stands in text.
func (f *flock) look(t *testing.T, where string, text []byte) {
	t.Helper()
	for c, path := range f.paths {
		if i := bytes.Index(text, []byte(c)); i >= 0 {
			t.Errorf("%s: found in %s: %.200q", path, where, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}

// logged is the log without the debug lines that pass on a child's standard error:
// that stream is for the operator who turns them on, cleaned and with its secrets
// replaced.
func logged(text string) []byte {
	var out []byte
	for line := range strings.Lines(text) {
		var said struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Level == "debug" && said.Msg == "stderr" {
			continue
		}
		out = append(out, line...)
	}
	return out
}
