package oauth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// guarded lets only bearers into an upstream, and remembers what they brought.
type guarded struct {
	next http.Handler

	mu      sync.Mutex
	bearers []string // of calls, in order
	refuse  int      // how many requests more are refused
	all     []http.Header
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	g.mu.Lock()
	g.all = append(g.all, r.Header.Clone())
	raw, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if strings.Contains(string(body), `"tools/call"`) {
		g.bearers = append(g.bearers, raw)
	}
	refused := !ok || g.refuse > 0
	if g.refuse > 0 {
		g.refuse--
	}
	g.mu.Unlock()
	if refused {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	g.next.ServeHTTP(w, r)
}

// called are the bearers of the calls since it was asked last.
func (g *guarded) called() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	taken := g.bearers
	g.bearers = nil
	return taken
}

// claims of a JWT, unverified.
func claims(t testing.TB, raw string) []byte {
	t.Helper()
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		t.Fatalf("no JWT: %.10s…", raw)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// credentialed is an upstream with a credential that is got from the authority.
func credentialed(t testing.TB, h http.Handler, credential string) stage.Upstream {
	t.Helper()
	return stage.Served(t, "desk", h).Credential(credential)
}

// TestClientCredentials calls an upstream as the gateway itself.
func TestClientCredentials(t *testing.T) {
	a := newAuthority(t)
	t.Setenv("TEST_MACHINE_SECRET", "verysecret")
	up := &guarded{next: desktop()}
	s := stage.Open(t, stage.Options{
		Review: func(gateway.ItemID) string { return stage.Read("use") },
		Upstreams: []stage.Upstream{credentialed(t, up, fmt.Sprintf(
			`{client_credentials: {issuer: %q, client_id: %s, client_secret: "env:TEST_MACHINE_SECRET", scopes: [openid], audience: %q}}`, a.url, machine, behind))},
	})
	host := s.Host("alice")
	for range 3 {
		if r := host.Call(t, "desk__look", "{}"); r.IsError() || r.Status != http.StatusOK {
			t.Fatalf("%d %s\n%s", r.Status, r.Body, s.Log())
		}
	}
	first := up.called()
	if len(first) != 3 || first[0] != first[2] || text(claims(t, first[0]), "sub") != machine {
		t.Errorf("bearers %d", len(first))
	}
	if n := a.granted("client_credentials"); n != 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	up.mu.Lock()
	up.refuse = 1
	up.mu.Unlock()
	if r := host.Call(t, "desk__look", "{}"); r.IsError() || r.Status != http.StatusOK {
		t.Errorf("after the token was revoked: %d %s", r.Status, r.Body)
	}
	if again := up.called(); len(again) != 2 || again[0] != first[0] || again[1] == first[0] {
		t.Error("it was not asked again with another token, once")
	}
	if leaks := s.Leaks(t, first[0], "verysecret"); len(leaks) > 0 {
		t.Errorf("kept: %.20s", leaks)
	}
}

// exchange is the configuration of an upstream that is called in the caller's right.
func exchange(t testing.TB, a *authority) string {
	t.Setenv("TEST_GATEWAY_SECRET", gwSays)
	return fmt.Sprintf(`{token_exchange: {token_url: %q, client_id: %s, client_secret: "env:TEST_GATEWAY_SECRET", scopes: [openid], audience: %q}}`,
		a.url+"/oauth/token", gw, behind)
}

// TestExchange calls an upstream in the right of who calls: with a token of its
// own for each, never with the one that came in.
func TestExchange(t *testing.T) {
	for era, next := range map[string]func() http.Handler{
		"modern": func() http.Handler { return desktop() },
		"legacy": func() http.Handler { return &sessions{owners: map[string]string{}} },
	} {
		t.Run(era, func(t *testing.T) {
			a := newAuthority(t, public+"/mcp")
			up := &guarded{next: next()}
			s := stage.Open(t, stage.Options{
				Review: func(gateway.ItemID) string { return stage.Read("use") }, Auth: issuer(a, ""), Listen: fmt.Sprintf("url: %q", public),
				Upstreams: []stage.Upstream{credentialed(t, up, exchange(t, a))},
			})
			inbound := []string{a.login(t, desk, "use").access, a.login(t, desk, "use").access}
			for _, token := range append(inbound, inbound...) {
				if r := stage.NewHost(s.URL, token).Call(t, "desk__look", "{}"); r.IsError() || r.Status != http.StatusOK {
					t.Fatalf("%d %s\n%s", r.Status, r.Body, s.Log())
				}
			}
			sent := up.called()
			if len(sent) != 4 || sent[0] != sent[2] || sent[1] != sent[3] || sent[0] == sent[1] {
				t.Fatalf("%d bearers, not one for each token that came in", len(sent))
			}
			if said := claims(t, sent[0]); text(said, "sub") != "id1" || !strings.Contains(string(said), behind) {
				t.Errorf("exchanged token %s", said)
			}
			if n := a.granted("urn:ietf:params:oauth:grant-type:token-exchange"); n != 2 {
				t.Errorf("%d exchanges", n)
			}
			r := s.Host("alice").Call(t, "desk__look", "{}")
			if r.Code() != string(gateway.CodeUnavailable) || len(up.called()) != 0 {
				t.Errorf("who has nothing to exchange: %s", r.Body)
			}
			up.mu.Lock()
			defer up.mu.Unlock()
			for _, token := range inbound {
				if strings.Contains(fmt.Sprint(up.all), token) {
					t.Error("the inbound token reached the upstream")
				}
			}
			if leaks := s.Leaks(t, append(inbound, sent[0], sent[1], gwSays)...); len(leaks) > 0 {
				t.Errorf("kept: %d", len(leaks))
			}
		})
	}
}

// sessions is a server of revision 2025-11-25 whose sessions are each somebody's.
type sessions struct {
	mu     sync.Mutex
	owners map[string]string // subject by session
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m stage.Message
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	_, body, _ := strings.Cut(r.Header.Get("Authorization"), ".")
	body, _, _ = strings.Cut(body, ".")
	said, _ := base64.RawURLEncoding.DecodeString(body)
	who := text(said, "sub")
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case m.Method == "initialize":
		id = fmt.Sprint("s", len(s.owners))
		s.owners[id] = who
		w.Header().Set("Mcp-Session-Id", id)
		stage.Say(w, stage.Response(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`))
	case s.owners[id] == "" || s.owners[id] != who:
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		stage.Say(w, stage.Response(m.ID, `{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}`))
	default:
		stage.Say(w, stage.Response(m.ID, `{"content":[{"type":"text","text":"done"}]}`))
	}
}
