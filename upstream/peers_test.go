package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

// everything is a server of the SDK with one of each. An era of "legacy" keeps it
// from speaking the newest revision.
func everything(era string) *mcp.Server {
	opts := &mcp.ServerOptions{
		Instructions:       "all of it",
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		PageSize:           2,
	}
	if era == "legacy" {
		opts.SupportedProtocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "1"}, opts)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	add := func(name string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, h)
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(r.Params.Arguments)), nil
	})
	add("steps", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, progress := range []float64{1, 2, 1.5, 2, 3} {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: progress, Total: 3, Message: fmt.Sprint("step ", progress),
			})
		}
		return text("done"), nil
	})
	add("logs", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 older revisions log, and this is a server of theirs
		for _, level := range []mcp.LoggingLevel{"debug", "warning", "info", "error"} {
			//lint:ignore SA1019 likewise
			_ = r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Data: "said"})
		}
		return text("done"), nil
	})
	add("asks", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "really?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"ok": map[string]any{"type": "boolean"}}}})
		if err != nil {
			return text("refused"), nil
		}
		return text(fmt.Sprint(answer.Action, " ", answer.Content["ok"])), nil
	})
	add("touch", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("done"), s.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: "file:///a"})
	})
	add("grow", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add("grown", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text(""), nil })
		return text("done"), nil
	})
	for _, name := range []string{"p1", "p2", "p3"} {
		s.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Description: name}, nil
		})
	}
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "content"}}}, nil
	}
	for _, uri := range []string{"file:///a", "file:///b", "file:///c"} {
		s.AddResource(&mcp.Resource{Name: uri, URI: uri}, read)
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "any", URITemplate: "file:///{name}"}, read)
	return s
}

// peers are the SDK's server by every way that reaches it.
func peers() map[string]func(t *testing.T) upstream.Config {
	over := func(h func(getServer func(*http.Request) *mcp.Server) http.Handler, era string) func(t *testing.T) upstream.Config {
		return func(t *testing.T) upstream.Config {
			server := everything(era)
			s := httptest.NewServer(h(func(*http.Request) *mcp.Server { return server }))
			t.Cleanup(s.Close)
			cfg := reaching(s.URL)
			cfg.HTTP.Backoff = child.Backoff{Min: time.Millisecond, Max: 5 * time.Millisecond}
			return cfg
		}
	}
	streamable := func(stateless, json bool) func(func(*http.Request) *mcp.Server) http.Handler {
		return func(get func(*http.Request) *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: json})
		}
	}
	return map[string]func(t *testing.T) upstream.Config{
		"stdio modern": func(*testing.T) upstream.Config { return playing("everything:modern") },
		"stdio legacy": func(*testing.T) upstream.Config { return playing("everything:legacy") },
		"http modern":  over(streamable(true, false), "modern"),
		"http legacy":  over(streamable(false, false), "legacy"),
		"http json":    over(streamable(false, true), "legacy"),
		"sse": over(func(get func(*http.Request) *mcp.Server) http.Handler {
			return mcp.NewSSEHandler(get, nil)
		}, "legacy"),
	}
}

// overPeers runs a test against the SDK's server by every way but some.
func overPeers(t *testing.T, test func(t *testing.T, name string, cfg upstream.Config), but ...string) {
	for name, make := range peers() {
		if !slices.Contains(but, name) {
			t.Run(name, func(t *testing.T) { test(t, name, make(t)) })
		}
	}
}

func isLegacy(name string) bool { return name != "stdio modern" && name != "http modern" }

func names(t *testing.T, items [][]byte, member string) []string {
	t.Helper()
	var all []string
	for _, item := range items {
		value, _ := protocol.Member(item, member)
		name, _ := protocol.Text(value)
		all = append(all, name)
	}
	return all
}

func TestEveryKindIsListed(t *testing.T) {
	overPeers(t, func(t *testing.T, name string, cfg upstream.Config) {
		c := open(t, cfg)
		list, err := c.List(t.Context())
		if err != nil || list.Partial {
			t.Fatalf("%+v %v", list, err)
		}
		if got := names(t, list.Tools, "name"); len(got) != 6 {
			t.Errorf("tools %v", got)
		}
		if got := names(t, list.Prompts, "name"); !slices.Equal(got, []string{"p1", "p2", "p3"}) {
			t.Errorf("prompts %v", got)
		}
		if got := names(t, list.Resources, "uri"); !slices.Equal(got, []string{"file:///a", "file:///b", "file:///c"}) {
			t.Errorf("resources %v", got)
		}
		if got := names(t, list.Templates, "uriTemplate"); !slices.Equal(got, []string{"file:///{name}"}) {
			t.Errorf("templates %v", got)
		}
		era := map[bool]string{true: "legacy", false: "modern"}[isLegacy(name)]
		if list.Era != era || string(list.Instructions) != `"all of it"` || c.Status().ClaimedName != "everything" {
			t.Errorf("%s %s %s", list.Era, list.Instructions, c.Status().ClaimedName)
		}
	})
}

func textOf(t *testing.T, in protocol.Incoming) string {
	t.Helper()
	if in.Result == nil {
		t.Errorf("no result: %+v", in.Error)
		return ""
	}
	text, _ := protocol.Text([]byte(member(t, in.Result, "/content/0/text")))
	return text
}

func TestEveryWayCalls(t *testing.T) {
	overPeers(t, func(t *testing.T, _ string, cfg upstream.Config) {
		c := open(t, cfg)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				arguments := fmt.Sprintf(`{"n":%d,"big":9007199254740993}`, i)
				in, err := c.Call(t.Context(), call("echo", arguments))
				if err != nil || textOf(t, in) != arguments {
					t.Errorf("%s %v", in.Result, err)
				}
			})
		}
		all.Wait()
		in, err := c.Call(t.Context(), protocol.Outgoing{
			Method: protocol.MethodResourcesRead, Name: "file:///a", Params: []byte(`{"uri":"file:///a"}`)})
		if err != nil || member(t, in.Result, "/contents/0/text") != `"content"` {
			t.Errorf("%s %v", in.Result, err)
		}
		in, err = c.Call(t.Context(), protocol.Outgoing{Method: protocol.MethodPromptsGet, Name: "p2", Params: []byte(`{"name":"p2"}`)})
		if err != nil || member(t, in.Result, "/description") != `"p2"` {
			t.Errorf("%s %v", in.Result, err)
		}
		in, err = c.Call(t.Context(), call("no such tool", `{}`))
		if err != nil || in.Error == nil || !in.Sent {
			t.Errorf("%+v %v", in, err)
		}
	})
}

// told collects what Notify is given.
type told struct {
	mu  sync.Mutex
	all []string
}

func (n *told) notify(method string, params []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, method+" "+string(params))
}

func (n *told) count() int { n.mu.Lock(); defer n.mu.Unlock(); return len(n.all) }

func TestProgressIsMappedAndRises(t *testing.T) {
	overPeers(t, func(t *testing.T, _ string, cfg upstream.Config) {
		c := open(t, cfg)
		var notes told
		out := call("steps", `{}`)
		out.Progress, out.Notify = true, notes.notify
		if in, err := c.Call(t.Context(), out); err != nil || textOf(t, in) != "done" {
			t.Fatalf("%+v %v", in, err)
		}
		var got []string
		for _, note := range notes.all {
			params := []byte(note[len("notifications/progress "):])
			if _, ok := protocol.Member(params, "progressToken"); ok {
				t.Errorf("the token of our hop was told: %s", note)
			}
			got = append(got, member(t, params, "/progress"))
		}
		if !slices.Equal(got, []string{"1", "2", "3"}) {
			t.Errorf("told %v", got)
		}
		quiet := call("steps", `{}`)
		quiet.Notify = func(method string, _ []byte) { t.Errorf("%s was not asked for", method) }
		if _, err := c.Call(t.Context(), quiet); err != nil {
			t.Error(err)
		}
	}, "http json") // which has no stream for them
}

func TestLogMessagesAreOfTheWantedSeverity(t *testing.T) {
	overPeers(t, func(t *testing.T, _ string, cfg upstream.Config) {
		c := open(t, cfg)
		for level, want := range map[string][]string{"": nil, "info": {`"warning"`, `"info"`, `"error"`}, "error": {`"error"`}, "debug": {`"debug"`, `"warning"`, `"info"`, `"error"`}} {
			var notes told
			out := call("logs", `{}`)
			out.LogLevel, out.Notify = level, notes.notify
			if _, err := c.Call(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, note := range notes.all {
				got = append(got, member(t, []byte(note[len("notifications/message "):]), "/level"))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: told %v, want %v", level, got, want)
			}
		}
	}, "http json")
}

func TestLegacyUpstreamAsks(t *testing.T) {
	overPeers(t, func(t *testing.T, _ string, cfg upstream.Config) {
		asked := make(chan string, 8)
		out := call("asks", `{}`)
		out.Ask = func(ctx context.Context, method string, params []byte) ([]byte, error) {
			asked <- method + " " + member(t, params, "/message")
			return []byte(`{"action":"accept","content":{"ok":true}}`), ctx.Err()
		}
		c := open(t, cfg)
		if in, err := c.Call(t.Context(), out); err != nil || textOf(t, in) != "refused" {
			t.Errorf("not relayed by default: %s %v", in.Result, err)
		}
		cfg.Relay = []upstream.Relay{upstream.RelayElicitation}
		c = open(t, cfg)
		if in, err := c.Call(t.Context(), out); err != nil || textOf(t, in) != "accept true" {
			t.Fatalf("%s %v", in.Result, err)
		}
		if got := <-asked; got != `elicitation/create "really?"` || len(asked) != 0 {
			t.Errorf("asked %s", got)
		}
		out.Ask = func(context.Context, string, []byte) ([]byte, error) { return nil, errors.New("no") }
		if in, err := c.Call(t.Context(), out); err != nil || textOf(t, in) != "refused" {
			t.Errorf("declined by the host: %s %v", in.Result, err)
		}
		out.Ask = nil
		if in, err := c.Call(t.Context(), out); err != nil || textOf(t, in) != "refused" || c.Status().Refused < 2 {
			t.Errorf("nobody to ask: %s %v %+v", in.Result, err, c.Status())
		}
	}, "stdio modern", "http modern", "http json")
}

func TestModernUpstreamIsToldTheCapabilities(t *testing.T) {
	c := open(t, playing("modern"))
	out := call("t", `{}`)
	out.Capabilities, out.LogLevel, out.Progress = []byte("{\"elicitation\":{\n}}"), "info", true
	in, err := c.Call(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/seen/_meta/io.modelcontextprotocol~1clientCapabilities": `{"elicitation":{ }}`,
		"/seen/_meta/io.modelcontextprotocol~1logLevel":           `"info"`,
	} {
		if got := member(t, in.Result, pointer); got != want {
			t.Errorf("%s = %s", pointer, got)
		}
	}
	if token := member(t, in.Result, "/seen/_meta/progressToken"); !protocol.IsInteger([]byte(token)) {
		t.Errorf("progress token %s", token)
	}
}

func TestWatchedResources(t *testing.T) {
	overPeers(t, func(t *testing.T, name string, cfg upstream.Config) {
		c := open(t, cfg)
		heard := [2]chan struct{}{make(chan struct{}, 100), make(chan struct{}, 100)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		for i := range heard {
			go func() { ended <- c.Watch(ctx, "file:///a", func() { heard[i] <- struct{}{} }) }()
		}
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i, got := 0, false; i < len(heard); got = false { // until the subscription holds, touching is heard by nobody
			if _, err := c.Call(t.Context(), call("touch", `{}`)); err != nil {
				t.Fatal(err)
			}
			select {
			case <-heard[i]:
				got = true
			case <-tick.C:
			case err := <-ended:
				t.Fatalf("the watch ended: %v", err)
			}
			if got {
				i++
			}
		}
		cancel()
		for range heard {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		other, stop := context.WithCancel(t.Context())
		go func() { ended <- c.Watch(other, "file:///b", func() { t.Error("told of another resource") }) }()
		if _, err := c.Call(t.Context(), call("touch", `{}`)); err != nil {
			t.Fatal(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestWatchIsRefused(t *testing.T) {
	c := open(t, playing("legacy:2025-06-18"))
	refusedWith(t, c.Watch(t.Context(), "file:///a", func() {}), gateway.CodeUnavailable, "not_supported")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Watch(ended, "file:///a", func() {}); err != nil {
		t.Error(err)
	}
	c.Close()
	refusedWith(t, c.Watch(t.Context(), "file:///a", func() {}), gateway.CodeUnavailable, "closed")
}

func TestGrownListIsAnnounced(t *testing.T) {
	overPeers(t, func(t *testing.T, _ string, cfg upstream.Config) {
		c := open(t, cfg)
		if _, err := c.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			if _, err := c.Call(t.Context(), call("grow", `{}`)); err != nil {
				t.Fatal(err)
			}
			select {
			case <-c.Changed():
				return
			case <-tick.C:
			}
		}
	})
}

func TestNothingOfASessionStays(t *testing.T) {
	server := everything("legacy")
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer s.Close()
	c, err := upstream.New(reaching(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), call("echo", `{}`)); err != nil {
		t.Fatal(err)
	}
	if n := sessions(server); n != 1 {
		t.Errorf("%d sessions", n)
	}
	c.Close()
	settled(t, "the session is gone", func() bool { return sessions(server) == 0 })
}

func sessions(s *mcp.Server) (n int) {
	for range s.Sessions() {
		n++
	}
	return n
}
