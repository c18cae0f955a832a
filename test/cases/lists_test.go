package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// lists are the bugs of lists and of who is told of them.
func lists() map[string]proof {
	return map[string]proof{
		"BUG-03": everyPage,
		"BUG-04": repeatedCursor,
		"BUG-05": toldInBothEras,
		"BUG-06": oneWithoutStream,
	}
}

// paged answers tools/list page by page, by the cursor that it gave for each.
func paged(pages map[string]string) stage.Answer {
	return func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		cursor, _ := protocol.Lookup(m.Params, "/cursor")
		text, _ := protocol.Text(cursor)
		page, ok := pages[text]
		if !ok {
			stage.Fault(`{"code":-32602,"message":"no such cursor"}`)(w, r, m)
			return
		}
		stage.Result(page)(w, r, m)
	}
}

func page(next string, tools ...string) string {
	list := stage.List(tools...)
	if next == "" {
		return list
	}
	return with(list, `"nextCursor":"`+next+`"`)
}

func numbered(prefix string, from, to int) []string {
	var tools []string
	for i := from; i < to; i++ {
		tools = append(tools, stage.Tool(fmt.Sprintf("%s%02d", prefix, i)))
	}
	return tools
}

// walked walks over the gateway's own pages to their end.
func (s *scene) walked() []string {
	s.c.Helper()
	var all []string
	params := ""
	for range 50 {
		r := s.alice.Ask(protocol.MethodToolsList, params).Send(s.c)
		all = append(all, r.Tools(s.c)...)
		cursor := r.Get("/nextCursor")
		if cursor == "" {
			return all
		}
		params = `"cursor":` + cursor
	}
	s.c.Fatal("the walk does not end")
	return nil
}

// everyPage: what an upstream lists on several pages is all there, once.
func everyPage(c *trial) {
	var n [2]int
	c.must(json.Unmarshal([]byte(c.raw("/pages/0/tools")), &n[0]))
	c.must(json.Unmarshal([]byte(c.raw("/pages/1/tools")), &n[1]))
	up := newPeer().On(protocol.MethodToolsList, paged(map[string]string{
		"": page(c.text("/pages/0/nextCursor"), numbered("t", 0, n[0])...), c.text("/pages/0/nextCursor"): page("", append(numbered("t", n[0], n[0]+n[1]-1), stage.Tool("good"))...),
	}))
	for i := range n[0] + n[1] {
		up.Add(stage.Tool(fmt.Sprintf("t%02d", i)), stage.Result(stage.Text(done)))
	}
	s := c.open(up, stage.Options{})
	list := slices.DeleteFunc(s.walked(), func(name string) bool { return name == "other__good" })
	slices.Sort(list)
	c.hold(outward, len(list) == 14 && len(slices.Compact(list)) == 14, "walked over %q", list)
	s.Events(c)
	s.passed(s.alice.Call(c, "up__t12", `{}`)) // of the second page
	s.served("up__t00", "up__t12")
}

// repeatedCursor: a list that comes round again is read as far as it is new, and
// takes nothing away that a whole list had shown.
func repeatedCursor(c *trial) {
	whole := map[string]string{"": page("x", stage.Tool("a"), stage.Tool("good")), "x": page("y", stage.Tool("b")), "y": page("", stage.Tool("z"))}
	round := map[string]string{
		"": page(c.text("/pages/0/nextCursor"), stage.Tool("a"), stage.Tool("good"), stage.Tool("new")), c.text("/pages/0/nextCursor"): page(c.text("/pages/1/nextCursor"), stage.Tool("b")),
	}
	var asked atomic.Int32
	up := newPeer().On(protocol.MethodToolsList, paged(whole))
	for _, name := range []string{"a", "b", "z", "new"} {
		up.Add(stage.Tool(name), stage.Result(stage.Text(done)))
	}
	s := c.open(up, stage.Options{})
	up.On(protocol.MethodToolsList, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		asked.Add(1)
		paged(round)(w, r, m)
	})
	c.must(s.Gateway.Refresh(c.Context(), "up"))
	c.hold(outward, asked.Load() == 2, "the upstream was asked for %d pages", asked.Load())
	list := s.walked()
	for _, name := range []string{"up__a", "up__b", "up__z", "up__good"} {
		c.hold(outward, slices.Contains(list, name), "%s is gone: %q", name, list)
	}
	partial := s.last(func(e *audit.Event) bool { return e.Type == audit.ListPartial })
	c.hold(event, partial.Upstream == "up" && slices.Contains(partial.Reasons, gateway.ReasonListPartial), "on record as %+v", partial)
	seen := s.Changes(c, "up__new")
	c.hold(event, len(seen) > 0, "what the partial list showed is not on record")
	s.served("up__a", "up__b", "up__z")
}

// stream is a listening host, of either era.
type stream struct {
	c     *trial
	lines *bufio.Scanner
}

// listen opens a stream on which alice is told of changes.
func (s *scene) listen(era string) *stream {
	s.c.Helper()
	r := s.alice.Ask(protocol.MethodSubscriptionsListen, `"notifications":{"toolsListChanged":true}`)
	if era == "legacy" {
		r = s.legacy(`{}`)("", "")
		r.Verb = http.MethodGet
		r.With("Accept", "text/event-stream").With("Content-Type")
	}
	body := io.Reader(nil)
	if r.Verb == http.MethodPost {
		body = strings.NewReader(r.Text())
	}
	req, err := http.NewRequestWithContext(s.c.Context(), r.Verb, r.URL, body)
	s.c.must(err)
	req.Header = r.Header
	resp, err := http.DefaultClient.Do(req)
	s.c.must(err)
	s.c.Cleanup(func() { _ = resp.Body.Close() }) // read as far as it matters
	if resp.StatusCode != 200 {
		s.c.Fatalf("%s: %s", era, resp.Status)
	}
	w := &stream{s.c, bufio.NewScanner(resp.Body)}
	if era == "modern" {
		w.expect(protocol.NotificationSubscriptionsStarted)
	} else if !w.lines.Scan() { // the comment by which it begins
		s.c.Fatal("the stream did not begin")
	}
	return w
}

// expect hears the next message and holds that it is of that method.
func (w *stream) expect(method string) {
	w.c.Helper()
	for w.lines.Scan() {
		if data, ok := strings.CutPrefix(w.lines.Text(), "data: "); ok {
			w.c.hold(outward, strings.Contains(data, `"method":"`+method+`"`), "heard %s, want %s", data, method)
			return
		}
	}
	w.c.hold(outward, false, "the stream ended: %v", w.lines.Err())
}

// toldInBothEras: progress reaches who asked for it, and hosts of both eras are told
// that what they see changed, after it was fetched and judged.
func toldInBothEras(c *trial) {
	up := newPeer().Add(stage.Tool("works"), progressing(`"half"`)).Add(stage.Tool("goes"), stage.Result(stage.Text(done)))
	s := c.open(up, stage.Options{})
	s.inStreams("up__works", func(era string, lines []string) {
		all := strings.Join(lines, "\n")
		c.hold(outward, strings.Contains(all, `"progressToken":"p"`) && strings.Contains(all, `"half"`), "%s heard %s", era, all)
	})
	for _, era := range []string{"modern", "legacy"} {
		w := s.listen(era)
		up.Replace("goes", "")
		c.must(s.Gateway.Refresh(c.Context(), "up"))
		w.expect(protocol.NotificationToolsChanged)
		c.hold(outward, !slices.Contains(s.alice.List(c), "up__goes"), "%s was told before the list was another one", era)
		up.SetTools(stage.Tool("good"), stage.Tool("works"), stage.Tool("goes"))
		c.must(s.Gateway.Refresh(c.Context(), "up"))
		w.expect(protocol.NotificationToolsChanged)
	}
	opened := s.Rows(c, audit.Filter{Type: audit.SubscriptionOpened})
	c.hold(event, len(opened) > 0 && len(s.Changes(c, "up__goes")) > 2, "on record: %+v", opened)
	s.served()
}

// old is a server of 2025-11-25, made by hand: it keeps sessions, answers by one
// body, and does with GET and with the rest what a test says.
type old struct {
	mu       sync.Mutex
	sessions int
	live     string // the one that it knows
	version  string // that it answers to initialize with; "" = 2025-11-25
	gets     atomic.Int32
	initial  atomic.Int32
	lose     bool // forgets its session once, at the next call
	ran      []string
	get      http.HandlerFunc // nil: 405
}

// ServeHTTP implements http.Handler.
func (o *old) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		o.gets.Add(1)
		if o.get != nil {
			o.get(w, r)
			return
		}
		http.Error(w, "no stream", http.StatusMethodNotAllowed)
		return
	case http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	raw, _ := io.ReadAll(r.Body) // a broken request is no JSON either
	var m stage.Message
	if json.Unmarshal(raw, &m) != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.Method == protocol.MethodInitialize {
		o.initialize(w, m)
		return
	}
	if r.Header.Get(protocol.HeaderSession) == "" {
		http.Error(w, "Bad Request: no session", http.StatusBadRequest)
		return
	}
	if m.Method == protocol.MethodToolsCall && o.lose {
		o.lose, o.live = false, ""
	}
	if r.Header.Get(protocol.HeaderSession) != o.live {
		http.Error(w, "Session not found", http.StatusNotFound)
		return
	}
	o.answer(w, m)
}

func (o *old) initialize(w http.ResponseWriter, m stage.Message) {
	o.initial.Add(1)
	o.sessions++
	o.live = fmt.Sprintf("session-%d", o.sessions)
	version := o.version
	if version == "" {
		version = protocol.Revision20251125
	}
	w.Header().Set(protocol.HeaderSession, o.live)
	stage.Say(w, stage.Response(m.ID, `{"protocolVersion":"`+version+`","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"old","version":"1"}}`))
}

func (o *old) answer(w http.ResponseWriter, m stage.Message) {
	switch {
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == protocol.MethodToolsList:
		stage.Say(w, stage.Response(m.ID, `{"tools":[`+stage.Tool("good")+`,`+stage.Tool("write")+`]}`))
	case m.Method == protocol.MethodToolsCall:
		o.ran = append(o.ran, m.Name())
		stage.Say(w, stage.Response(m.ID, `{"content":[{"type":"text","text":"done"}]}`))
	default:
		stage.Say(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32601,"message":"no such method"}}`)
	}
}

// oneWithoutStream: an upstream that has no stream of its own is left in peace with
// that; nobody hears of it, and nothing is fetched again because of it.
func oneWithoutStream(c *trial) {
	plain, broken := &old{}, &old{get: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusInternalServerError) }}
	var fetched atomic.Int32
	up := newPeer()
	up.On(protocol.MethodToolsList, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		fetched.Add(1)
		stage.Result(stage.List(stage.Tool("good")))(w, r, m)
	})
	s := c.open(up, stage.Options{Upstreams: []stage.Upstream{stage.Served(c, "plain", plain), stage.Served(c, "broken", broken)}})
	w := s.listen("modern")
	before := fetched.Load()
	for range 5 {
		c.must(s.Gateway.Refresh(c.Context(), "plain"))
		c.must(s.Gateway.Refresh(c.Context(), "broken"))
	}
	stage.Await(c, "the broken stream is asked for again", func() bool { return broken.gets.Load() >= 2 })
	s.served("plain__good", "broken__good")
	c.hold(outward, plain.gets.Load() == 1 && plain.initial.Load() == 1 && broken.initial.Load() == 1, "GET %d times, initialized %d and %d times", plain.gets.Load(), plain.initial.Load(), broken.initial.Load())
	c.hold(outward, fetched.Load() == before, "the other list was fetched %d times more", fetched.Load()-before)
	for _, tool := range []string{"up__good", "other__good", "plain__good", "broken__good"} {
		n := len(s.Changes(c, tool))
		c.hold(event, n == 2, "%s changed %d times on record; it was listed and approved", tool, n)
	}
	s.Stop()
	w.expect(protocol.NotificationCancelled) // and of nothing before
}
