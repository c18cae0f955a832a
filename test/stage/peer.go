package stage

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// Answer writes the answer to one tools/call, however it likes.
type Answer func(w http.ResponseWriter, r *http.Request, m Message)

// Result answers with a result, byte for byte.
func Result(result string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, m Message) { Say(w, Response(m.ID, result)) }
}

// Fault answers with a JSON-RPC error object, byte for byte.
func Fault(object string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, m Message) {
		Say(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":`+object+`}`)
	}
}

// Say answers 200 with that JSON.
func Say(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body) // the gateway may have gone
}

// Peer is an upstream of revision 2026-07-28 over HTTP that says exactly what a
// test wants it to. It is safe for concurrent use.
type Peer struct {
	mu      sync.Mutex
	tools   []string          // definitions, in the order in which they were added
	answers map[string]Answer // of tools
	methods map[string]Answer // of other methods, in place of the peer's own
	calls   []Called
}

// Called is one tools/call that arrived.
type Called struct {
	Message
	Header http.Header
}

// NewPeer returns a peer without tools.
func NewPeer() *Peer { return &Peer{answers: map[string]Answer{}, methods: map[string]Answer{}} }

// Add gives the peer a tool and returns the peer.
func (p *Peer) Add(definition string, a Answer) *Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tools = append(p.tools, definition)
	p.answers[toolName(definition)] = a
	return p
}

// On answers a method by a test's own answer and returns the peer.
func (p *Peer) On(method string, a Answer) *Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.methods[method] = a
	return p
}

// Replace changes the definition of a tool; "" takes it from the list, and it
// is answered all the same.
func (p *Peer) Replace(name, definition string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next []string
	for _, d := range p.tools {
		switch {
		case toolName(d) != name:
			next = append(next, d)
		case definition != "":
			next = append(next, definition)
		}
	}
	p.tools = next
}

// SetTools replaces the whole list.
func (p *Peer) SetTools(definitions ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tools = definitions
}

// Calls returns the calls that arrived since it was asked last.
func (p *Peer) Calls() []Called {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

func toolName(definition string) string {
	var d struct{ Name string }
	_ = json.Unmarshal([]byte(definition), &d) // "" for what has no name
	return d.Name
}

// ServeHTTP implements http.Handler.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m Message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	own := p.methods[m.Method]
	p.mu.Unlock()
	if own != nil {
		own(w, r, m)
		return
	}
	switch m.Method {
	case "server/discover":
		Say(w, Response(m.ID, Discovered))
	case "tools/list":
		p.mu.Lock()
		list := List(p.tools...)
		p.mu.Unlock()
		Say(w, Response(m.ID, list))
	case "tools/call":
		p.mu.Lock()
		answer := p.answers[m.Name()]
		p.calls = append(p.calls, Called{m, r.Header.Clone()})
		p.mu.Unlock()
		if answer == nil {
			answer = Fault(`{"code":-32602,"message":"no such tool"}`)
		}
		answer(w, r, m)
	default:
		Fault(`{"code":-32601,"message":"no such method"}`)(w, r, m)
	}
}
