package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

// reaching is the configuration of an upstream at url, with short times.
func reaching(url string) upstream.Config {
	return upstream.Config{
		ID: "up", Version: "1.2.3",
		HTTP: &upstream.HTTP{
			URL: url, Bearer: "upstream-credential",
			Client:  egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}),
			Backoff: child.Backoff{Min: time.Hour, Max: time.Hour},
		},
		Timeout: 20 * time.Second, ProbeTimeout: 10 * time.Second,
	}
}

// answering is how a hand-made server answers a request.
type answering func(w http.ResponseWriter, r *http.Request, m message)

// listenOn starts a hand-made modern server that answers tools/call by call.
func listenOn(t *testing.T, call answering) *httptest.Server {
	t.Helper()
	return answeringAll(t, func(w http.ResponseWriter, r *http.Request, m message) {
		switch m.Method {
		case "server/discover":
			asJSON(w, 200, result(m.ID, strings.Replace(discovery, `"listChanged":true`, "", 1)))
		case "tools/list":
			asJSON(w, 200, result(m.ID, oneTool))
		default:
			call(w, r, m)
		}
	})
}

func answeringAll(t *testing.T, answer answering) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Errorf("the server got no message: %v", err)
		}
		answer(w, r, m)
	}))
	t.Cleanup(s.Close)
	return s
}

func asJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func asStream(w http.ResponseWriter, events string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, events)
}

func TestSDKOverHTTP(t *testing.T) {
	server := sdkServer()
	for name, plain := range map[string]bool{"stream": false, "json": true} {
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: plain})
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		c := open(t, reaching(s.URL))
		list, err := c.List(t.Context())
		if err != nil || len(list.Tools) != 1 || list.Era != "modern" || list.Revision != "2026-07-28" || string(list.Instructions) != `"from the sdk"` {
			t.Fatalf("%s: %+v %v", name, list, err)
		}
		in, err := c.Call(t.Context(), call("echo", `{"text":"hello"}`))
		if err != nil || in.Error != nil || member(t, in.Result, "/structuredContent/echo") != `"hello"` {
			t.Errorf("%s: %s %+v %v", name, in.Result, in.Error, err)
		}
		in, err = c.Call(t.Context(), call("no such tool", `{}`))
		if err != nil || in.Error == nil || in.Error.Code != -32602 {
			t.Errorf("%s: unknown tool: %+v %v", name, in.Error, err)
		}
		if st := c.Status(); !st.Up || st.ClaimedName != "sdk" {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

func TestListChangedOverHTTP(t *testing.T) {
	server := sdkServer()
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true}))
	c := open(t, reaching(s.URL))
	t.Cleanup(s.CloseClientConnections)
	if _, err := c.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ { // the subscription is opened behind the first answer
		server.AddTool(&mcp.Tool{Name: fmt.Sprint("t", n), InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
		select {
		case <-c.Changed():
			return
		case <-t.Context().Done():
			t.Fatal("no signal")
		case <-tick.C:
		}
	}
}

func TestRequestOnTheWire(t *testing.T) {
	var got *http.Request
	var params json.RawMessage
	s := listenOn(t, func(w http.ResponseWriter, r *http.Request, m message) {
		got, params = r, m.Params
		asJSON(w, 200, result(m.ID, `{}`))
	})
	c := open(t, reaching(s.URL+"/mcp?x=1"))
	schema := `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"}}}`
	mirrors, err := protocol.Mirrors([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	out := call("tør ", `{"region":"eu west ","n":9007199254740993}`)
	out.Mirrors, out.TraceParent = mirrors, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if _, err := c.Call(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": protocol.EncodeHeader("tør "),
		"Mcp-Param-Region": protocol.EncodeHeader("eu west "), "Mcp-Param-Count": "9007199254740993",
		"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
		"Authorization": "Bearer upstream-credential", "Accept-Encoding": "identity", "User-Agent": "mcp-gateway/1.2.3",
	} {
		if v := got.Header.Values(name); len(v) != 1 || v[0] != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	if got.URL.RequestURI() != "/mcp?x=1" || got.ContentLength <= 0 || got.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%s length %d", got.URL, got.ContentLength)
	}
	if v := member(t, params, "/_meta/traceparent"); v != `"`+out.TraceParent+`"` {
		t.Errorf("traceparent %s", v)
	}
}

func TestProbeOverHTTP(t *testing.T) {
	rpc := func(status, code int, data string) answering {
		return func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, status, failure(m.ID, code, data)) }
	}
	plain := func(status int) answering {
		return func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Retry-After", "7200")
			http.Error(w, "no", status)
		}
	}
	legacyList := func(w http.ResponseWriter, _ *http.Request, m message) {
		asJSON(w, 200, result(m.ID, `{"supportedVersions":["2025-11-25"],"capabilities":{}}`))
	}
	nothing := func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, result(m.ID, `{}`)) }
	for name, tc := range map[string]struct {
		probe     answering
		wasModern bool
		reason    gateway.Reason // why it is down; "" = modern, "legacy" = initialised
	}{
		"header mismatch stays modern":    {rpc(400, -32020, "null"), false, ""},
		"missing capability stays modern": {rpc(400, -32021, "null"), false, ""},
		"names legacy revisions":          {rpc(400, -32022, `{"supported":["2025-11-25"]}`), false, "legacy"},
		"names no known revision":         {rpc(400, -32022, `{"supported":["2031-01-01"]}`), false, "unsupported_revision"},
		"names what it refused":           {rpc(400, -32022, `{"supported":["2026-07-28"]}`), false, "legacy"},
		"discovers legacy revisions":      {legacyList, false, "legacy"},
		"answers anything with nothing":   {nothing, false, "legacy"},
		"was modern, answers nothing":     {nothing, true, "downgrade"},
		"unknown method":                  {rpc(404, -32601, "null"), false, "legacy"},
		"unknown method with 200":         {rpc(200, -32601, "null"), false, "legacy"},
		"bad request without JSON-RPC":    {plain(400), false, "legacy"},
		"not found":                       {plain(404), false, "legacy"},
		"method not allowed":              {plain(405), false, "legacy"},
		"was modern, names legacy":        {rpc(400, -32022, `{"supported":["2025-11-25"]}`), true, "downgrade"},
		"was modern, bad request":         {plain(400), true, "downgrade"},
		"was modern, unauthorized":        {plain(401), true, "http_401"},
		"unauthorized is not legacy":      {plain(401), false, "http_401"},
		"forbidden is not legacy":         {plain(403), false, "http_403"},
		"too many requests is not legacy": {plain(429), false, "http_429"},
		"unavailable is not legacy":       {plain(503), false, "http_503"},
		"internal server error":           {plain(500), false, "http_500"},
		"internal error":                  {rpc(200, -32603, "null"), false, "probe_error"},
		"redirect": {func(w http.ResponseWriter, r *http.Request, _ message) {
			http.Redirect(w, r, "/else", http.StatusTemporaryRedirect)
		}, false, "redirect"},
		"web page": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			_, _ = io.WriteString(w, "<html>hello</html>")
		}, false, "html_answer"},
		"malformed":                        {func(w http.ResponseWriter, _ *http.Request, _ message) { asJSON(w, 200, "{") }, false, "malformed"},
		"503 that looks like a modern one": {rpc(503, -32022, `{"supported":["2025-11-25"]}`), false, "http_503"},
	} {
		t.Run(name, func(t *testing.T) {
			s := answeringAll(t, func(w http.ResponseWriter, r *http.Request, m message) {
				if m.Method == "server/discover" {
					tc.probe(w, r, m)
					return
				}
				if m.Method == "initialize" {
					asJSON(w, 200, result(m.ID, initialized("2025-06-18")))
					return
				}
				asJSON(w, 200, result(m.ID, `{}`))
			})
			cfg := reaching(s.URL)
			if tc.wasModern {
				cfg.Remembered = registry.UpstreamFact{Era: "modern", Revision: "2026-07-28"}
			}
			c := open(t, cfg)
			in, err := c.Call(t.Context(), call("t", `{}`))
			if tc.reason == "" {
				if err != nil || c.Status().Revision != "2026-07-28" {
					t.Fatalf("%v %+v", err, c.Status())
				}
				return
			}
			if tc.reason == "legacy" {
				if st := c.Status(); err != nil || st.Era != "legacy" || st.Revision != "2025-06-18" {
					t.Fatalf("%v %+v", err, st)
				}
				return
			}
			refusedWith(t, err, gateway.CodeUnavailable, tc.reason)
			var e *gateway.Error
			if errors.As(err, &e); in.Sent || e.RetryAfter < time.Second {
				t.Errorf("sent %v retry after %v", in.Sent, e.RetryAfter)
			}
			if st := c.Status(); st.Up || st.Reason != tc.reason {
				t.Errorf("%+v", st)
			}
		})
	}
}

func TestSilentProbeOverHTTPIsNotLegacy(t *testing.T) {
	release := make(chan struct{})
	s := answeringAll(t, func(http.ResponseWriter, *http.Request, message) { <-release })
	defer close(release)
	cfg := reaching(s.URL)
	cfg.ProbeTimeout = 20 * time.Millisecond
	_, err := open(t, cfg).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "probe_timeout")
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	in, err := open(t, reaching(url)).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "dial_refused")
	if in.Sent {
		t.Error("sent")
	}
	cfg := reaching(url)
	cfg.HTTP.Client = egress.NewClient(egress.Options{})
	_, err = open(t, cfg).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "dial_blocked")

	plain := listenOn(t, nil)
	cfg = reaching(strings.Replace(plain.URL, "http:", "https:", 1))
	_, err = open(t, cfg).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "tls_failed")
	self := httptest.NewTLSServer(nil)
	self.Config.ErrorLog = nil
	t.Cleanup(self.Close)
	_, err = open(t, reaching(self.URL)).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "tls_failed")
}

func TestHostileAnswersOverHTTP(t *testing.T) {
	event := func(data string) string { return "data: " + data + "\n\n" }
	mine := func(m message) string { return event(result(m.ID, `{"mine":1}`)) }
	big := strings.Repeat("x", 2<<20)
	for name, tc := range map[string]struct {
		answer answering
		code   gateway.Code // "" = the result {"mine":…}
		reason gateway.Reason
	}{
		"empty event first": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asStream(w, "id: 1\ndata:\n\n: ping\n\nevent: message\n"+mine(m))
		}, "", ""},
		"CR line ends": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asStream(w, strings.ReplaceAll(": hi\n\n"+mine(m), "\n", "\r"))
		}, "", ""},
		"other ids and notifications first": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asStream(w, event(result(json.RawMessage("999"), `{"theirs":1}`))+event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`)+
				event(result(json.RawMessage(`"`+string(m.ID)+`"`), `{"theirs":2}`))+event(result(json.RawMessage(`9007199254740993`), `{}`))+mine(m))
		}, "", ""},
		"line of 2 MiB": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asStream(w, event(result(m.ID, `{"mine":"`+big+`"}`)))
		}, "", ""},
		"JSON of 2 MiB": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asJSON(w, 200, result(m.ID, `{"mine":"`+big+`"}`))
		}, "", ""},
		"JSON with another's id": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			asJSON(w, 200, result(json.RawMessage("999"), `{"theirs":1}`))
		}, gateway.CodeExecutionError, "no_answer"},
		"stream without the answer": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			asStream(w, event(result(json.RawMessage("999"), `{"theirs":1}`)))
		}, gateway.CodeExecutionError, "no_answer"},
		"stream that is cut off": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asStream(w, strings.TrimSuffix(mine(m), "\n"))
		}, gateway.CodeExecutionError, "no_answer"},
		"stream of strays": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			asStream(w, strings.Repeat(event(`{"jsonrpc":"2.0","method":"notifications/x"}`), 10_001))
		}, gateway.CodeExecutionError, "stray_messages"},
		"connection that breaks": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Length", "1000")
			asJSON(w, 200, `{"jsonrpc":`)
		}, gateway.CodeExecutionError, "connection_broken"},
		"connection that closes": {func(http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) },
			gateway.CodeExecutionError, "connection_broken"},
		"endless JSON": {func(w http.ResponseWriter, _ *http.Request, _ message) { endless(w, "application/json", `{"x":"`) }, gateway.CodeTooLarge, ""},
		"endless event": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			endless(w, "text/event-stream", `data: {"x":"`)
		}, gateway.CodeTooLarge, ""},
		"too large": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asJSON(w, 200, result(m.ID, `{"x":"`+big+big+`"}`))
		}, gateway.CodeTooLarge, ""},
		"duplicate name": {func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, result(m.ID, `{"a":1,"a":1}`)) }, gateway.CodeExecutionError, "malformed"},
		"two documents":  {func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, result(m.ID, `{}`)+"{}") }, gateway.CodeExecutionError, "malformed"},
		"no object":      {func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, result(m.ID, `"text"`)) }, gateway.CodeExecutionError, "malformed"},
		"bad event":      {func(w http.ResponseWriter, _ *http.Request, _ message) { asStream(w, "data: <html>\n\n") }, gateway.CodeExecutionError, "malformed"},
		"nothing": {func(w http.ResponseWriter, _ *http.Request, _ message) { asJSON(w, 200, "") },
			gateway.CodeExecutionError, "malformed"},
		"accepted": {func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(202) }, gateway.CodeExecutionError, "media_type"},
		"web page": {func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = io.WriteString(w, "<html>") }, gateway.CodeExecutionError, "html_answer"},
		"text":     {func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = io.WriteString(w, "hello") }, gateway.CodeExecutionError, "media_type"},
		"redirect": {func(w http.ResponseWriter, r *http.Request, _ message) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, gateway.CodeExecutionError, "redirect"},
		"redirect that looks like an answer": {func(w http.ResponseWriter, _ *http.Request, m message) {
			asJSON(w, 308, failure(m.ID, -32602, "null"))
		}, gateway.CodeExecutionError, "redirect"},
		"503": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			http.Error(w, "secret", http.StatusServiceUnavailable)
		}, gateway.CodeUnavailable, "http_503"},
		"500":      {func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "secret", 500) }, gateway.CodeExecutionError, "http_500"},
		"418 JSON": {func(w http.ResponseWriter, _ *http.Request, _ message) { asJSON(w, 418, `{"not":"rpc"}`) }, gateway.CodeExecutionError, "http_418"},
		"400 huge": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			endless(w, "", "{")
		}, gateway.CodeExecutionError, "http_400"},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Encoding", "gzip")
			asJSON(w, 200, "\x1f\x8b")
		}, gateway.CodeExecutionError, "media_type"},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, reaching(listenOn(t, tc.answer).URL))
			out := call("t", `{}`)
			out.Limit = 3 << 20
			in, err := c.Call(t.Context(), out)
			if tc.code == "" {
				if err != nil || !bytes.HasPrefix(in.Result, []byte(`{"mine":`)) {
					t.Errorf("%.60s %v", in.Result, err)
				}
				return
			}
			refusedWith(t, err, tc.code, tc.reason)
			if !in.Sent || in.Result != nil || in.Error != nil {
				t.Errorf("%+v", in)
			}
			if _, err := c.List(t.Context()); err != nil {
				t.Errorf("the next request suffers: %v", err)
			}
		})
	}
}

// endless writes start and then filling until nobody reads any more.
func endless(w http.ResponseWriter, mediaType, start string) {
	if mediaType != "" {
		w.Header().Set("Content-Type", mediaType)
	}
	_, err := io.WriteString(w, start)
	for filling := strings.Repeat("x", 64<<10); err == nil; {
		_, err = io.WriteString(w, filling)
	}
}

func TestErrorsOfTheUpstreamOverHTTP(t *testing.T) {
	for status, code := range map[int]int{400: -32020, 404: -32601, 200: -32602, 500: -32603} {
		s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, m message) {
			asJSON(w, status, failure(m.ID, code, "null"))
		})
		in, err := open(t, reaching(s.URL)).Call(t.Context(), call("t", `{}`))
		if err != nil || in.Error == nil || in.Error.Code != int64(code) || !in.Sent {
			t.Errorf("%d: %+v %v", status, in, err)
		}
	}
	noID := listenOn(t, func(w http.ResponseWriter, _ *http.Request, _ message) {
		asJSON(w, 400, failure(json.RawMessage("null"), -32600, "null"))
	})
	if in, err := open(t, reaching(noID.URL)).Call(t.Context(), call("t", `{}`)); err != nil || in.Error == nil {
		t.Errorf("error without id: %+v %v", in, err)
	}
}

func TestHugeBodyCostsNoMoreThanItsCap(t *testing.T) {
	const limit = 16 << 20
	s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "application/json")
		for filling, n := strings.Repeat("x", 64<<10), 0; n < 64<<20; n += len(filling) {
			if _, err := io.WriteString(w, filling); err != nil {
				return
			}
		}
	})
	c := open(t, reaching(s.URL))
	if _, err := c.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop, peak := make(chan struct{}), make(chan uint64)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	go func() {
		var top uint64
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-stop:
				peak <- top
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				top = max(top, m.HeapAlloc-min(base, m.HeapAlloc))
			}
		}
	}()
	out := call("t", `{}`)
	out.Limit = limit
	_, err := c.Call(t.Context(), out)
	close(stop)
	refusedWith(t, err, gateway.CodeTooLarge, "")
	top := <-peak
	t.Logf("peak %d KiB over the base for a cap of %d KiB", top>>10, limit>>10)
	if !raced && top > 3*limit {
		t.Errorf("peak %d bytes for a cap of %d", top, limit)
	}
}

func TestCancelClosesTheStream(t *testing.T) {
	arrived, closed := make(chan struct{}), make(chan struct{})
	s := listenOn(t, func(w http.ResponseWriter, r *http.Request, _ message) {
		asStream(w, ": begun\n\n")
		w.(http.Flusher).Flush()
		close(arrived)
		<-r.Context().Done()
		close(closed)
	})
	c := open(t, reaching(s.URL))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	in, err := c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeCancelled, "")
	if !in.Sent {
		t.Error("not sent, says it")
	}
	<-closed
}

func TestTimeoutOverHTTP(t *testing.T) {
	release := make(chan struct{})
	s := listenOn(t, func(http.ResponseWriter, *http.Request, message) { <-release })
	defer close(release)
	c := open(t, reaching(s.URL))
	if _, err := c.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	in, err := c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeTimeout, "")
	if !in.Sent {
		t.Error("not sent, says it")
	}
}

func TestOutageOpensTheCircuit(t *testing.T) {
	var calls atomic.Int64
	s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, _ message) {
		calls.Add(1)
		http.Error(w, "", http.StatusServiceUnavailable)
	})
	c := open(t, reaching(s.URL))
	for range 10 {
		_, err := c.Call(t.Context(), call("t", `{}`))
		refusedWith(t, err, gateway.CodeUnavailable, "http_503")
	}
	if calls.Load() != 3 {
		t.Errorf("%d calls reached an upstream that is down", calls.Load())
	}
	if st := c.Status(); st.Up || st.Reason != "http_503" || time.Until(st.RetryAt) < time.Minute {
		t.Errorf("%+v", st)
	}
}

func TestRecoveryIsMetAnewAndSignalled(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	s := answeringAll(t, func(w http.ResponseWriter, _ *http.Request, m message) {
		switch {
		case broken.Load():
			http.Error(w, "", http.StatusServiceUnavailable)
		case m.Method == "server/discover":
			asJSON(w, 200, result(m.ID, `{"supportedVersions":["2026-07-28"]}`))
		default:
			asJSON(w, 200, result(m.ID, `{}`))
		}
	})
	cfg := reaching(s.URL)
	cfg.HTTP.Backoff = child.Backoff{Min: time.Millisecond, Max: time.Millisecond}
	c := open(t, cfg)
	_, err := c.Call(t.Context(), call("t", `{}`))
	if err == nil {
		t.Fatal("a broken upstream answered")
	}
	broken.Store(false)
	settled(t, "it is up again", func() bool { _, err := c.Call(t.Context(), call("t", `{}`)); return err == nil })
	<-c.Changed()
}

func TestDowngradeOverHTTPWithinOneLife(t *testing.T) {
	var old atomic.Bool
	s := answeringAll(t, func(w http.ResponseWriter, _ *http.Request, m message) {
		switch {
		case m.Method != "server/discover":
			http.Error(w, "", http.StatusServiceUnavailable)
		case old.Load():
			asJSON(w, 404, failure(m.ID, -32601, "null"))
		default:
			asJSON(w, 200, result(m.ID, `{"supportedVersions":["2026-07-28"]}`))
		}
	})
	cfg := reaching(s.URL)
	cfg.HTTP.Backoff = child.Backoff{Min: time.Millisecond, Max: time.Millisecond}
	c := open(t, cfg)
	for range 3 {
		_, err := c.Call(t.Context(), call("t", `{}`))
		refusedWith(t, err, gateway.CodeUnavailable, "http_503")
	}
	old.Store(true)
	settled(t, "the downgrade is refused", func() bool {
		_, err := c.Call(t.Context(), call("t", `{}`))
		return child.ReasonOf(err) == "downgrade"
	})
}

func TestDialFailureAfterMeetingIsNotSent(t *testing.T) {
	s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, result(m.ID, `{}`)) })
	s.Config.SetKeepAlivesEnabled(false) // a connection that is kept may take bytes before it breaks
	c := open(t, reaching(s.URL))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	in, err := c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "dial_refused")
	if in.Sent {
		t.Error("sent to nobody")
	}
}

func TestConcurrentExchangesOverHTTP(t *testing.T) {
	s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, mirror(m)[0]) })
	c := open(t, reaching(s.URL))
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			in, err := c.Call(t.Context(), call("t", `{"n":`+strconv.Itoa(i)+`}`))
			if err != nil || member(t, in.Result, "/seen/arguments/n") != strconv.Itoa(i) {
				t.Errorf("%d: %s %v", i, in.Result, err)
			}
		})
	}
	all.Wait()
}

func TestNothingPilesUpOverHTTP(t *testing.T) {
	server := sdkServer()
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true}))
	defer s.Close()
	before := runtime.NumGoroutine()
	for range 50 {
		c, err := upstream.New(reaching(s.URL))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), call("echo", `{"text":"x"}`)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := c.Call(t.Context(), call("echo", `{}`)); child.ReasonOf(err) != "closed" {
			t.Fatalf("after close: %v", err)
		}
	}
	s.CloseClientConnections()
	settled(t, "goroutines flat", func() bool { return runtime.NumGoroutine() <= before+2 })
}

func BenchmarkHTTPExchange(b *testing.B) {
	for name, media := range map[string]string{"json": "application/json", "stream": "text/event-stream"} {
		b.Run(name, func(b *testing.B) {
			s := httptest.NewServer(echoServer(media))
			defer s.Close()
			c, err := upstream.New(reaching(s.URL))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			out := call("echo", `{"text":"hello","n":1}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(b.Context(), out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("net_http_alone", func(b *testing.B) {
		s := httptest.NewServer(echoServer("application/json"))
		defer s.Close()
		client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}})
		body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello","n":1}}}`)
		b.ReportAllocs()
		for b.Loop() {
			resp, err := client.Post(s.URL, "application/json", bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = egress.ReadBody(resp.Body, 1<<20)
			_ = resp.Body.Close()
		}
	})
}

// echoServer costs as little as a server can, so that what is measured is ours.
func echoServer(media string) http.Handler {
	text := `{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("e", 180) + `"}],"structuredContent":{"echo":"hello"},"supportedVersions":["2026-07-28"]}`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var head [64]byte
		n, _ := io.ReadFull(r.Body, head[:])
		_, rest, _ := bytes.Cut(head[:n], []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(","))
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = []string{media}
		if media == "text/event-stream" {
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", result(id, text))
			return
		}
		_, _ = io.WriteString(w, result(id, text))
	})
}

func BenchmarkStdioExchange(b *testing.B) {
	c, err := upstream.New(playing("modern"))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	out := call("echo", `{"text":"hello","n":1}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), out); err != nil {
			b.Fatal(err)
		}
	}
}
