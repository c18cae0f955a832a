package fidelity

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	"mcp-gateway/protocol"
)

// upstream is a server of one era that says what it is told to say, byte for byte.
type upstream struct {
	modern bool

	mu    sync.Mutex
	lists map[string]string // definitions by method, as they stand in the array
	next  script
	got   []object // params of calls that came, without _meta, and answers to what was asked
	told  chan string
}

// script is what becomes of the next calls.
type script struct {
	notes  []note // said before the answer; their progress token is the call's
	ask    *note  // asked before the answer, by a server of the old era
	result string
	again  string // the result once answers to questions came
}

type note struct {
	method string
	params object
}

func newUpstream(modern bool) *upstream {
	return &upstream{modern: modern, lists: map[string]string{}, told: make(chan string, 1)}
}

// say sets what is said from now on, and forgets what came.
func (u *upstream) say(s script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.next, u.got = s, nil
}

// calls are the params that came since say.
func (u *upstream) calls() []object {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.got
}

func (u *upstream) list(method, definitions string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lists[method] = definitions
}

// listMembers are where definitions stand, by method.
var listMembers = map[string]string{
	protocol.MethodToolsList: "tools", protocol.MethodPromptsList: "prompts",
	protocol.MethodResourcesList: "resources", protocol.MethodResourceTemplatesList: "resourceTemplates",
}

const capabilities = `{"tools":{},"prompts":{},"resources":{},"completions":{},"logging":{}}`

// ServeHTTP implements http.Handler.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m, parsed := protocol.ParseMessage(body, protocol.Limits{Bytes: 64 << 20, Depth: 1000})
	switch {
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusOK)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case err != nil || parsed != nil:
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "" && m.Result != nil:
		u.told <- string(m.Result)
		w.WriteHeader(http.StatusAccepted)
	case m.ID == nil || m.Method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		u.answer(w, m)
	}
}

func (u *upstream) answer(w http.ResponseWriter, m protocol.Message) {
	u.mu.Lock()
	list, isList := listMembers[m.Method], listMembers[m.Method] != ""
	definitions, next := u.lists[m.Method], u.next
	u.mu.Unlock()
	reply := func(result string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, response(m.ID, result)) // the gateway may have gone
	}
	switch {
	case m.Method == protocol.MethodDiscover && u.modern:
		reply(`{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"public","capabilities":` + capabilities + `}`)
	case m.Method == protocol.MethodDiscover:
		w.WriteHeader(http.StatusNotFound)
	case m.Method == protocol.MethodInitialize:
		w.Header().Set(protocol.HeaderSession, "session")
		reply(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"replay","version":"1"},"capabilities":` + capabilities + `}`)
	case m.Method == protocol.MethodSetLevel:
		reply(`{}`)
	case isList:
		reply(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","` + list + `":[` + definitions + `]}`)
	default:
		u.play(w, m, next)
	}
}

// play says what the script says to a call.
func (u *upstream) play(w http.ResponseWriter, m protocol.Message, next script) {
	params := parse(m.Params)
	u.mu.Lock()
	u.got = append(u.got, params.without("_meta"))
	u.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(message string) {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", message) // the gateway may have gone
		w.(http.Flusher).Flush()
	}
	token := parse([]byte(params.get("_meta"))).get("progressToken")
	for _, n := range next.notes {
		if n.method == protocol.NotificationProgress {
			n.params = n.params.with("progressToken", token)
		}
		event(`{"jsonrpc":"2.0","method":"` + n.method + `","params":` + n.params.String() + `}`)
	}
	if next.ask != nil {
		ask := `{"jsonrpc":"2.0","id":"question","method":"` + next.ask.method + `"`
		if next.ask.params != nil {
			ask += `,"params":` + next.ask.params.String()
		}
		event(ask + "}")
		answer := <-u.told
		u.mu.Lock()
		u.got = append(u.got, parse([]byte(answer)))
		u.mu.Unlock()
	}
	if next.again != "" && params.get("inputResponses") != "" {
		next.result = next.again
	}
	event(response(m.ID, next.result))
}

func response(id []byte, result string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`
}
