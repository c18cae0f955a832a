package methods

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// server is an upstream of revision 2026-07-28 that answers every method as a test
// says. It is safe for concurrent use.
type server struct {
	mu      sync.Mutex
	lists   map[string]string // definitions by method, as they stand in the array
	answers map[string]stage.Answer
	got     []stage.Called
}

var listMembers = map[string]string{
	protocol.MethodToolsList: "tools", protocol.MethodPromptsList: "prompts",
	protocol.MethodResourcesList: "resources", protocol.MethodResourceTemplatesList: "resourceTemplates",
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m stage.Message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	list, isList := listMembers[m.Method], listMembers[m.Method] != ""
	definitions, answer := s.lists[m.Method], s.answers[m.Method]
	if !isList && m.Method != protocol.MethodDiscover && m.Method != protocol.MethodSubscriptionsListen {
		s.got = append(s.got, stage.Called{Message: m, Header: r.Header.Clone()})
	}
	s.mu.Unlock()
	switch {
	case m.Method == protocol.MethodDiscover:
		stage.Say(w, stage.Response(m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"public",`+
			`"capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}}}`))
	case isList:
		stage.Say(w, stage.Response(m.ID, `{"resultType":"complete","ttlMs":0,"cacheScope":"public","`+list+`":[`+definitions+`]}`))
	case answer != nil:
		answer(w, r, m)
	default:
		stage.Fault(`{"code":-32601,"message":"no such method"}`)(w, r, m)
	}
}

// answer sets what a method is answered from now on.
func (s *server) answer(method string, a stage.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[method] = a
}

// calls returns what arrived since it was asked last, but for lists.
func (s *server) calls() []stage.Called {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// params are those of a message without _meta, which is the hop's own.
func params(m stage.Message) string {
	var b strings.Builder
	b.WriteByte('{')
	for name, value := range protocol.Members(m.Params) {
		if string(name) == "_meta" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + string(name) + `":` + string(value))
	}
	return b.String() + "}"
}

// open is a gateway before such a server, called "up", that offers a tool, a
// prompt, two resources and a template, all of which alice may use; bob may use
// nothing.
func open(t testing.TB, settings string) (*stage.Stage, *server) {
	t.Helper()
	up := &server{answers: map[string]stage.Answer{}, lists: map[string]string{
		protocol.MethodToolsList: stage.Tool("ask") + "," + stage.Tool("other"),
		protocol.MethodPromptsList: `{"name":"greet","title":"Greet\u200b","arguments":[{"name":"who","required":true},{"name":"how"}],"icons":[]},` +
			`{"name":"held"}`,
		protocol.MethodResourcesList: `{"uri":"TEST://Desk/notes","name":"notes","mimeType":"text/plain","size":9007199254740993},` +
			`{"uri":"test://desk/held","name":"held"}`,
		protocol.MethodResourceTemplatesList: `{"uriTemplate":"test://desk/page/{n}","name":"page"}`,
	}}
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "carol", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"other"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "up", up).With(settings)},
		Others:     reviewAllButHeld,
	})
	return s, up
}

// send sends a request of a modern host, with the headers that mirror it.
func send(t testing.TB, h *stage.Host, method, params string) *stage.Reply {
	t.Helper()
	return request(h, method, params).Send(t)
}

func request(h *stage.Host, method, params string) *stage.Request {
	r := h.Ask(method, params)
	if member := protocol.NameMember(method); member != "" {
		raw, _ := protocol.Member([]byte("{"+params+"}"), member)
		if name, ok := protocol.Text(raw); ok {
			r.With(protocol.HeaderName, protocol.EncodeHeader(name))
		}
	}
	return r
}

// begin initializes a legacy session that declares capabilities, and returns a
// function that makes its requests.
func begin(t testing.TB, h *stage.Host, revision, capabilities string) func(method, params string) *stage.Request {
	t.Helper()
	r := h.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"raw","version":"1"}`).Send(t)
	session := r.Header.Get(protocol.HeaderSession)
	if session == "" {
		t.Fatalf("initialize: %d %s", r.Status, r.Body)
	}
	n := h.Legacy(revision, session, protocol.NotificationInitialized, "")
	n.ID = ""
	n.Send(t)
	return func(method, params string) *stage.Request { return h.Legacy(revision, session, method, params) }
}
