package proof

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// ledger is an upstream of revision 2026-07-28 over HTTP that writes down what
// it executes before it does anything else, and asks at that moment whether the
// gateway's decision is on record already.
type ledger struct {
	url      string
	onRecord func(trace string) bool

	mu       sync.Mutex
	executed map[string]int // by traceparent
	done     []execution
	early    []string // traces of calls that were executed before they were on record
	strange  []string // requests that no gateway should send
}

// execution is one call that reached the ledger.
type execution struct {
	tool      string
	arguments json.RawMessage // as they came
	trace     string
}

const (
	ledgerDiscovery = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":3600000,"cacheScope":"public"}`
	entrySchema     = `{"type":"object","properties":{"call":{"type":"integer"},"hold_ms":{"type":"integer","minimum":0,"maximum":100}},"required":["call","hold_ms"],"additionalProperties":false}`
	entryResult     = `{"type":"object","properties":{"entry":{"type":"integer"}},"required":["entry"]}`
	ledgerTools     = `{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","tools":[` +
		`{"name":"read_entry","inputSchema":` + entrySchema + `,"outputSchema":` + entryResult + `},` +
		`{"name":"write_entry","inputSchema":` + entrySchema + `,"outputSchema":` + entryResult + `}]}`
)

// ServeHTTP answers one request.
func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
			Meta      struct{ Traceparent string } `json:"_meta"`
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // half a request is none
	}
	if err := json.Unmarshal(body, &m); err != nil {
		l.note(string(body))
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	answer := `"error":{"code":-32601,"message":"Method not found"}`
	status := http.StatusOK
	switch m.Method {
	case "server/discover":
		answer = `"result":` + ledgerDiscovery
	case "tools/list":
		answer = `"result":` + ledgerTools
	case "tools/call":
		answer = `"result":` + l.execute(r, execution{m.Params.Name, m.Params.Arguments, m.Params.Meta.Traceparent})
	default:
		status = http.StatusNotFound
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}

func (l *ledger) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strange = append(l.strange, what)
}

// execute runs a call: it is written down, takes its time, and is answered with
// its own number.
func (l *ledger) execute(r *http.Request, e execution) string {
	decided := l.onRecord(e.trace)
	l.mu.Lock()
	l.executed[e.trace]++
	l.done = append(l.done, e)
	if !decided {
		l.early = append(l.early, e.trace)
	}
	l.mu.Unlock()

	var args struct {
		Call   json.Number
		HoldMS int `json:"hold_ms"`
	}
	if err := json.Unmarshal(e.arguments, &args); err != nil {
		l.note(string(e.arguments))
	}
	if args.HoldMS > 0 {
		timer := time.NewTimer(time.Duration(args.HoldMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":"entry %s"}],"structuredContent":{"entry":%s}}`, args.Call, args.Call)
}
