package hosts

import (
	"bufio"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

const initialize = `"capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}`

// reserved is the initialize of a host that lets nobody ask it anything.
const reserved = `"capabilities":{},"clientInfo":{"name":"raw","version":"1"}`

// lastEvent is the last event of a request in the journal, as it stands there; beside
// these the journal holds what the gateway notes of itself, and signed checkpoints.
func lastEvent(t *testing.T, s *stage.Stage) string {
	t.Helper()
	last := ""
	for line := range strings.Lines(string(s.Journal(t))) {
		if strings.Contains(line, `"transport":`) {
			last = line
		}
	}
	return last
}

// begin initializes a session of a revision and returns its id.
func begin(t *testing.T, h *stage.Host, revision string) string {
	t.Helper()
	return beginAs(t, h, revision, initialize)
}

func beginAs(t *testing.T, h *stage.Host, revision, initialize string) string {
	t.Helper()
	r := h.Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"`+revision+`",`+initialize).Send(t)
	if r.Status != 200 || r.Get("/protocolVersion") != `"`+revision+`"` {
		t.Fatalf("initialize: %d %s", r.Status, r.Body)
	}
	id := r.Header.Get(protocol.HeaderSession)
	if len(id) < 20 {
		t.Fatalf("session id %q", id)
	}
	n := h.Legacy(revision, id, protocol.NotificationInitialized, "")
	n.ID = ""
	if r := n.Send(t); r.Status != 202 || len(r.Body) != 0 {
		t.Fatalf("initialized: %d %s", r.Status, r.Body)
	}
	return id
}

func TestEveryRevisionOfTheOldEra(t *testing.T) {
	s, _ := open(t)
	for _, revision := range protocol.LegacyRevisions() {
		t.Run(revision, func(t *testing.T) {
			alice := s.Host("alice")
			id := beginAs(t, alice, revision, reserved)
			header := revision
			if revision == protocol.Revision20250326 {
				header = "" // it had none
			}
			ask := func(method, params string) *stage.Reply {
				t.Helper()
				return alice.Legacy(header, id, method, params).Send(t)
			}
			list := ask(protocol.MethodToolsList, "")
			if got, want := list.Tools(t), []string{"peer__exact", "peer__mirrored", "peer__plain", "peer__refuses", "peer__wait"}; !slices.Equal(got, want) {
				t.Errorf("listed %v, want %v", got, want)
			}
			for _, member := range []string{"/resultType", "/ttlMs", "/cacheScope", "/_meta"} {
				if got := list.Get(member); got != "" {
					t.Errorf("the list tells %s %s, which this revision does not know", member, got)
				}
			}
			for _, fact := range []string{`"type":"tools.listed"`, `"transport":"http"`, `"era":"legacy"`, `"revision":"` + revision + `"`} {
				if e := lastEvent(t, s); !strings.Contains(e, fact) {
					t.Errorf("on record without %s: %s", fact, e)
				}
			}

			called := ask(protocol.MethodToolsCall, `"name":"peer__exact","arguments":`+exact)
			if got, want := string(called.Result), legacyResult(exact); got != want {
				t.Errorf("result\n%s, want\n%s", got, want)
			}
			failed := ask(protocol.MethodToolsCall, `"name":"peer__refuses"`)
			if !failed.IsError() || failed.Get("/resultType") != "" || failed.Status != 200 {
				t.Errorf("business error: %d %s", failed.Status, failed.Body)
			}
			denied := ask(protocol.MethodToolsCall, `"name":"peer__mirrored"`)
			if !denied.IsError() || denied.Code() != "approval_required" || denied.Get("/resultType") != "" || denied.Status != 200 {
				t.Errorf("held call: %d %s", denied.Status, denied.Body)
			}
			for _, unknown := range []string{"peer__secret", "peer__absent"} {
				r := ask(protocol.MethodToolsCall, `"name":"`+unknown+`"`)
				if r.RPC() != protocol.RPCInvalidParams || r.Code() != "unknown_tool" || r.Status != 200 {
					t.Errorf("%s: %d %s", unknown, r.Status, r.Body)
				}
			}
			if r := ask(protocol.MethodPing, ""); string(r.Result) != "{}" {
				t.Errorf("ping: %s", r.Body)
			}
			if r := ask(protocol.MethodSetLevel, `"level":"warning"`); string(r.Result) != "{}" {
				t.Errorf("setLevel: %s", r.Body)
			}
			if r := ask(protocol.MethodSetLevel, `"level":"loud"`); r.RPC() != protocol.RPCInvalidParams {
				t.Errorf("setLevel of no level: %s", r.Body)
			}
			if r := ask("no/such", ""); r.RPC() != protocol.RPCMethodNotFound || r.Status != 200 {
				t.Errorf("unknown method: %d %s", r.Status, r.Body)
			}
			if r := ask(protocol.MethodDiscover, ""); r.RPC() != protocol.RPCMethodNotFound {
				t.Errorf("a method of another era: %d %s", r.Status, r.Body)
			}
		})
	}
}

func TestInitializeNegotiates(t *testing.T) {
	s, _ := open(t)
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": "2025-11-25", "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25",
	} {
		r := s.Host("alice").Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"`+asked+`",`+initialize).Send(t)
		if got := r.Get("/protocolVersion"); got != `"`+want+`"` {
			t.Errorf("asked for %q: %s", asked, r.Body)
		}
		if r.Get("/serverInfo/name") != `"mcp-gateway"` || r.Get("/capabilities/tools/listChanged") != "true" || r.Get("/resultType") != "" {
			t.Errorf("asked for %q: %s", asked, r.Body)
		}
	}
	for name, params := range map[string]string{
		"no version": `"capabilities":{}`, "no capabilities": `"protocolVersion":"2025-11-25"`, "a number": `"protocolVersion":1,"capabilities":{}`,
	} {
		r := s.Host("alice").Legacy("", "", protocol.MethodInitialize, params).Send(t)
		if r.RPC() != protocol.RPCInvalidParams || r.Header.Get(protocol.HeaderSession) != "" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}

func TestWhatLegacyHostsMayNotSend(t *testing.T) {
	s, _ := open(t)
	alice, now := s.Host("alice"), protocol.Revision20251125
	id := begin(t, alice, now)
	list := func() *stage.Request { return alice.Legacy(now, id, protocol.MethodToolsList, "") }
	stranger := s.Host("").Legacy(now, id, protocol.MethodToolsList, "")
	wrongMeta := list()
	wrongMeta.Meta = stage.Meta
	for name, c := range map[string]struct {
		r      *stage.Request
		status int
		code   string
		rpc    int
	}{
		"a batch":                {list().Saying(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`), 400, "batch_unsupported", -32600},
		"a batch of 2025-03-26":  {list().With(protocol.HeaderVersion).Saying(` [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`), 400, "batch_unsupported", -32600},
		"a batch that begins":    {alice.Legacy("", "", "x", "").Saying(`[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}]`), 400, "batch_unsupported", -32600},
		"no JSON":                {list().Saying(`{"jsonrpc":`), 400, "malformed_request", -32700},
		"a name twice":           {list().Saying(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`), 400, "malformed_request", -32600},
		"a fractional id":        {list().Saying(`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`), 400, "malformed_request", -32600},
		"no key":                 {stranger, 401, "unauthenticated", 1401},
		"no session":             {list().With(protocol.HeaderSession), 400, "header_mismatch", -32020},
		"a session that isn't":   {list().With(protocol.HeaderSession, "nobody"), 404, "session_unknown", 1440},
		"another endpoint":       {list().At("/mcp/peer"), 404, "session_unknown", 1440},
		"no such endpoint":       {list().At("/mcp/absent"), 404, "not_found", 1404},
		"a revision of 2024":     {list().With(protocol.HeaderVersion, "2024-11-05"), 400, "unsupported_version", -32022},
		"a foreign origin":       {list().With("Origin", "https://evil.example"), 403, "forbidden_origin", 1403},
		"the other era's _meta":  {wrongMeta, 400, "header_mismatch", -32020},
		"a verb that isn't":      {&stage.Request{Verb: "PUT", URL: list().URL, Header: list().Header}, 405, "method_not_allowed", 1405},
		"text":                   {list().With("Content-Type", "text/plain"), 415, "unsupported_media_type", 1415},
		"a GET for JSON":         {&stage.Request{Verb: "GET", URL: list().URL, Header: list().With("Accept", "application/json").Header}, 406, "not_acceptable", 1406},
		"a GET by a stranger":    {&stage.Request{Verb: "GET", URL: list().URL, Header: stranger.Header.Clone()}, 401, "unauthenticated", 1401},
		"a DELETE by a stranger": {&stage.Request{Verb: "DELETE", URL: list().URL, Header: stranger.Header.Clone()}, 401, "unauthenticated", 1401},
	} {
		r := c.r.Send(t)
		if r.Status != c.status || r.Code() != c.code || r.RPC() != c.rpc {
			t.Errorf("%s: %d %s, want %d %s %d", name, r.Status, r.Body, c.status, c.code, c.rpc)
		}
		if c.status == 401 && r.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no challenge", name)
		}
	}
	if r := list().Send(t); r.Status != 200 {
		t.Errorf("and the session after that: %d %s", r.Status, r.Body)
	}
	if r := alice.Legacy(now, id, protocol.MethodToolsList, "").Saying(`{"jsonrpc":"2.0","id":99,"result":{}}`).Send(t); r.Status != 202 {
		t.Errorf("a reply for which nobody waits: %d %s", r.Status, r.Body)
	}
}

func TestRequestIDsComeBackAsTheyWere(t *testing.T) {
	s, _ := open(t)
	alice := s.Host("alice")
	session := begin(t, alice, protocol.Revision20250618)
	for _, id := range []string{"0", "-7", "9007199254740993", "123456789012345678901234567890", `""`, `"\u0061\/"`} {
		r := alice.Legacy(protocol.Revision20250618, session, protocol.MethodPing, "")
		r.ID = id
		if got := r.Send(t); got.ID != id {
			t.Errorf("id %s came back as %s", id, got.ID)
		}
	}
}

func TestASessionIsItsPrincipals(t *testing.T) {
	s, _ := open(t)
	alice, bob, now := s.Host("alice"), s.Host("bob"), protocol.Revision20251125
	id := begin(t, alice, now)
	theirs := bob.Legacy(now, id, protocol.MethodToolsList, "")
	for _, verb := range []string{"POST", "GET", "DELETE"} {
		r := (&stage.Request{Verb: verb, URL: theirs.URL, Header: theirs.Header, ID: "1", Method: protocol.MethodToolsList}).Send(t)
		if r.Status != 404 || r.Code() != "session_unknown" {
			t.Errorf("%s by another: %d %s", verb, r.Status, r.Body)
		}
	}
	if r := alice.Legacy(now, id, protocol.MethodToolsList, "").Send(t); r.Status != 200 {
		t.Errorf("by its own: %d %s", r.Status, r.Body)
	}
	del := &stage.Request{Verb: "DELETE", URL: theirs.URL, Header: alice.Legacy(now, id, "x", "").Header}
	if r := del.Send(t); r.Status != 204 {
		t.Errorf("DELETE: %d %s", r.Status, r.Body)
	}
	if r := alice.Legacy(now, id, protocol.MethodToolsList, "").Send(t); r.Status != 404 || r.Code() != "session_unknown" {
		t.Errorf("after DELETE: %d %s", r.Status, r.Body)
	}
}

func TestLegacyCancellation(t *testing.T) {
	s, started := open(t)
	alice, now := s.Host("alice"), protocol.Revision20251125
	id := begin(t, alice, now)
	call := alice.Legacy(now, id, protocol.MethodToolsCall, `"name":"peer__wait"`)
	call.ID = `"slow"`
	done := make(chan *stage.Reply, 1)
	go func() { done <- call.Send(t) }()
	<-started

	again := alice.Legacy(now, id, protocol.MethodPing, "")
	again.ID = `"slow"`
	if r := again.Send(t); r.Status != 400 || r.Code() != "malformed_request" {
		t.Errorf("an id that is in use: %d %s", r.Status, r.Body)
	}
	note := alice.Legacy(now, id, protocol.NotificationCancelled, `"requestId":"slow"`)
	note.ID = ""
	if r := note.Send(t); r.Status != 202 {
		t.Errorf("cancelled: %d %s", r.Status, r.Body)
	}
	if r := <-done; r.Code() != "cancelled" {
		t.Errorf("the call: %d %s", r.Status, r.Body)
	}
	if r := again.Send(t); r.Status != 200 {
		t.Errorf("the id afterwards: %d %s", r.Status, r.Body)
	}
}

func TestDeleteCancelsWhatIsUnderWay(t *testing.T) {
	s, started := open(t)
	alice, now := s.Host("alice"), protocol.Revision20250618
	id := begin(t, alice, now)
	done := make(chan *stage.Reply, 1)
	go func() { done <- alice.Legacy(now, id, protocol.MethodToolsCall, `"name":"peer__wait"`).Send(t) }()
	<-started
	del := alice.Legacy(now, id, "x", "")
	del.Verb, del.Body = "DELETE", http.NoBody
	if r := del.Send(t); r.Status != 204 {
		t.Errorf("DELETE: %d %s", r.Status, r.Body)
	}
	if r := <-done; r.Code() != "cancelled" {
		t.Errorf("the call: %d %s", r.Status, r.Body)
	}
}

// A GET stream begins at once, and ends with its session.
func TestGetStream(t *testing.T) {
	s, _ := open(t)
	alice, now := s.Host("alice"), protocol.Revision20251125
	ask := alice.Legacy(now, begin(t, alice, now), "x", "")
	next, ended := listen(t, ask)
	del := &stage.Request{Verb: "DELETE", URL: ask.URL, Header: ask.Header}
	if r := del.Send(t); r.Status != 204 {
		t.Errorf("DELETE: %d %s", r.Status, r.Body)
	}
	if got := next(); got != "" {
		t.Errorf("told %q", got)
	}
	ended()
}

// Both eras are served on one URL, each by its own rules.
func TestErasSideBySide(t *testing.T) {
	s, _ := open(t)
	alice := s.Host("alice")
	id := begin(t, alice, protocol.Revision20251125)
	modern := alice.Ask(protocol.MethodToolsList, "").Send(t)
	if e := lastEvent(t, s); !strings.Contains(e, `"era":"modern","revision":"2026-07-28"`) {
		t.Errorf("on record as %s", e)
	}
	legacy := alice.Legacy(protocol.Revision20251125, id, protocol.MethodToolsList, "").Send(t)
	m, _ := protocol.Member(modern.Result, "tools")
	l, _ := protocol.Member(legacy.Result, "tools")
	if len(m) == 0 || string(m) != string(l) {
		t.Errorf("the eras are shown different tools:\n%s\n%s", m, l)
	}
	if r := alice.Ask(protocol.MethodPing, "").Send(t); r.Status != 404 || r.RPC() != protocol.RPCMethodNotFound {
		t.Errorf("a modern ping: %d %s", r.Status, r.Body)
	}
	if r := alice.Calling("peer__exact", exact).Send(t); !strings.Contains(string(r.Result), `"structuredContent":{"got":`+exact) || r.Get("/resultType") != `"complete"` {
		t.Errorf("a modern call: %s", r.Body)
	}
}

// A host is told that its list changed when what it sees did, and not otherwise.
func TestListChanged(t *testing.T) {
	s, _ := open(t)
	alice, now := s.Host("alice"), protocol.Revision20251125
	id := begin(t, alice, now)
	ask := alice.Legacy(now, id, "x", "")
	next, ended := listen(t, ask)
	line := start(t, s, "")
	line.begin(now)
	line.ask("1", protocol.MethodToolsList, "")

	exposure := s.Exposure()
	// Of a tool that nobody sees, nobody hears; then one is hidden that was seen.
	write(t, s, strings.Replace(exposure, `scopes: ["nobody"]`, `scopes: ["nobody", "else"]`, 1))
	write(t, s, hidden(exposure))
	const want = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	if got := next(); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if m := line.hear(); m.Method != protocol.NotificationToolsChanged {
		t.Errorf("told over stdio: %+v", m)
	}
	list := alice.Legacy(now, id, protocol.MethodToolsList, "").Send(t)
	if slices.Contains(list.Tools(t), "peer__exact") {
		t.Error("the tool is listed still")
	}
	line.end()

	// A credential that is good no more ends its stream.
	s.Write(t, "upstreams.yaml", strings.Replace(text(t, s, "upstreams.yaml"), "id: alice", "id: renamed", 1))
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "" {
		t.Errorf("told %q after the credential was gone", got)
	}
	ended()
}

func hidden(exposure string) string {
	at := strings.Index(exposure, "    exact: ")
	return exposure[:at] + strings.Replace(exposure[at:], `scopes: ["use"]`, `scopes: ["nobody"]`, 1)
}

func write(t *testing.T, s *stage.Stage, exposure string) {
	t.Helper()
	s.Write(t, "exposure.yaml", exposure)
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, s *stage.Stage, name string) string {
	t.Helper()
	raw, err := os.ReadFile(s.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// listen opens the GET stream of a request's session. next returns the next
// message on it, "" at its end.
func listen(t *testing.T, of *stage.Request) (next func() string, ended func()) {
	t.Helper()
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, of.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	get.Header = of.Header.Clone()
	get.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(get)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), ":") {
		t.Fatalf("first line %q", lines.Text())
	}
	next = func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	return next, func() {
		t.Helper()
		if err := errors.Join(lines.Err(), resp.Body.Close()); err != nil {
			t.Errorf("the stream ended by %v", err)
		}
	}
}
