package proof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bookerID is an upstream in a process of its own, to be killed. Its tool open honours
// the key of a booking, also after it was started anew: what it did is in a file. Its
// tool jot takes no key, and does each time what it is asked to.
const bookerID = "booker"

const (
	bookerTools = `{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","tools":[` +
		`{"name":"open","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"},"hold_ms":{"type":"integer"}},"required":["hold_ms"],"additionalProperties":false},` + bookerResult + `},` +
		`{"name":"jot","inputSchema":{"type":"object","properties":{"note":{"type":"string"},"hold_ms":{"type":"integer"}},"required":["note","hold_ms"],"additionalProperties":false},` + bookerResult + `},` +
		`{"name":"find","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"required":["request_id"],"additionalProperties":false},` + bookerResult + `}]}`
	bookerResult = `"outputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
)

// booker executes bookings once for each key.
type booker struct {
	mu     sync.Mutex
	record *os.File
	ids    map[string]string
}

// serveBookings serves bookings until it is killed.
func serveBookings(address, path string) error {
	b := &booker{ids: map[string]string{}}
	for _, x := range bookings(path) {
		if !x.repeat {
			b.ids[x.key] = x.id
		}
	}
	var err error
	if b.record, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(listener, b)
}

// jotted says whether a key is of a call that the upstream does each time anew.
func jotted(key string) bool { return strings.HasPrefix(key, "jot-") }

// booking is one line of the record.
type booking struct {
	at     time.Time
	repeat bool // it was done before: nothing was done
	key    string
	id     string
}

// bookings reads the record, as far as it is whole.
func bookings(path string) []booking {
	file, err := os.Open(path)
	if err != nil {
		return nil // nothing was done yet
	}
	defer file.Close()
	var all []booking
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 4 {
			continue
		}
		nanos, _ := strconv.ParseInt(f[0], 10, 64)
		all = append(all, booking{time.Unix(0, nanos), f[1] == "repeat", f[2], f[3]})
	}
	return all
}

// ServeHTTP answers one request.
func (b *booker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments struct {
				Key  string `json:"request_id"`
				Note string
				Hold int `json:"hold_ms"`
			}
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer := `"error":{"code":-32601,"message":"Method not found"}`
	switch {
	case m.Method == "server/discover":
		answer = `"result":` + ledgerDiscovery
	case m.Method == "tools/list":
		answer = `"result":` + bookerTools
	case m.Method == "tools/call" && m.Params.Name != "find":
		id := b.open(m.Params.Arguments.Key + m.Params.Arguments.Note)
		<-time.After(time.Duration(m.Params.Arguments.Hold) * time.Millisecond)
		answer = `"result":` + booked(id)
	case m.Method == "tools/call":
		b.mu.Lock()
		id := b.ids[m.Params.Arguments.Key]
		b.mu.Unlock()
		if answer = `"result":` + booked(id); id == "" {
			answer = `"result":{"resultType":"complete","isError":true,"content":[]}`
		}
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}

func booked(id string) string {
	return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%q}],"structuredContent":{"id":%q}}`, id, id)
}

// open executes a booking, on record before it is answered, unless its key was and
// is one that it honours.
func (b *booker) open(key string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	what := "repeat"
	if b.ids[key] == "" || jotted(key) {
		what, b.ids[key] = "done", fmt.Sprintf("B-%d", len(b.ids)+1)
	}
	fmt.Fprintf(b.record, "%d %s %s %s\n", time.Now().UnixNano(), what, key, b.ids[key])
	return b.ids[key]
}
