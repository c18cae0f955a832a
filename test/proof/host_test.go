package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// call is one call of a host and what the host was told.
type call struct {
	n      int
	by     *caller
	tool   gateway.ItemID
	args   string
	parent string // the traceparent, which no other call has
	trace  audit.Trace

	fate   fate
	code   string // of a refusal
	answer []byte
	onTime bool // the end was on record when the answer came
}

// fate is what a host knows of its call.
type fate int

const (
	lost     fate = iota // no answer came
	released             // the upstream's result, or its own refusal
	refused              // the gateway's refusal
)

// startHosts lets hosts call whichever gateway serves, until the returned
// function is called.
func (s *scene) startHosts(random *rand.Rand) (end func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var work sync.WaitGroup
	for i := range hosts {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
		work.Go(func() { s.host(ctx, s.callers[i%len(s.callers)], own) })
	}
	return func() {
		cancel()
		work.Wait()
	}
}

func (s *scene) host(ctx context.Context, by *caller, random *rand.Rand) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	for {
		url, ok := s.serving(ctx)
		if !ok {
			return
		}
		c := s.next(by, random)
		s.flying.Add(1)
		c.send(ctx, client, url)
		s.flying.Add(-1)
		if c.fate != lost {
			c.onTime = s.book.ended(c.trace)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// next makes up a call and notes it before it is sent.
func (s *scene) next(by *caller, random *rand.Rand) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{n: len(s.calls) + 1, by: by}
	c.parent = fmt.Sprintf("00-%016x%016x-%016x-01", s.seed, c.n, c.n)
	c.trace = audit.ParseTrace(c.parent)
	entry := fmt.Sprintf(`{"hold_ms":%d,"call":%d}`, random.IntN(16), c.n)
	switch n := random.IntN(10); {
	case n < 3:
		c.tool, c.args = gateway.ItemID{Upstream: ledgerID, Name: "read_entry"}, entry
	case n < 6:
		c.tool, c.args = gateway.ItemID{Upstream: ledgerID, Name: "write_entry"}, entry
	case n < 7:
		c.tool, c.args = gateway.ItemID{Upstream: deskID, Name: "get_service_status"}, `{"service":"payments","window_minutes":5}`
	case n < 8:
		c.tool, c.args = gateway.ItemID{Upstream: deskID, Name: "get_incident_ticket"}, fmt.Sprintf(`{"request_id":"call-%d"}`, c.n)
	default:
		c.tool = gateway.ItemID{Upstream: deskID, Name: "create_incident_ticket"}
		c.args = fmt.Sprintf(`{"title":"call %d","severity":"P3","evidence_ids":["e"],"request_id":"call-%d"}`, c.n, c.n)
	}
	s.calls = append(s.calls, c)
	return c
}

// sent is how many calls hosts have made so far.
func (s *scene) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// exposed is the tool's name for hosts.
func (c *call) exposed() string { return c.tool.Upstream + "__" + c.tool.Name }

// send sends the call and notes what became of it.
func (c *call) send(ctx context.Context, client *http.Client, url string) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%q:%q,%q:{"name":"proof","version":"1"},%q:{},%q:%q}}}`,
		c.n, c.exposed(), c.args, protocol.MetaVersion, protocol.Revision20260728, protocol.MetaClientInfo,
		protocol.MetaClientCapabilities, protocol.MetaTraceParent, c.parent)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		panic(err) // the URL is ours
	}
	req.Header.Set("Authorization", "Bearer "+c.by.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	req.Header.Set(protocol.HeaderMethod, protocol.MethodToolsCall)
	req.Header.Set(protocol.HeaderName, c.exposed())
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	c.answer = answer
	c.read(resp.StatusCode)
}

// read tells a result from a refusal.
func (c *call) read(status int) {
	var m struct {
		Result *struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		Error *struct{ Data struct{ Code string } }
	}
	if err := json.Unmarshal(c.answer, &m); err != nil || m.Result == nil && m.Error == nil {
		c.fate, c.code = refused, fmt.Sprintf("HTTP %d", status)
		return
	}
	if m.Error != nil {
		c.fate, c.code = refused, m.Error.Data.Code
		return
	}
	if own, ok := m.Result.Meta["mcp-gateway/error"]; ok {
		var e struct{ Code string }
		_ = json.Unmarshal(own, &e) // without a code it is told as ""
		c.fate, c.code = refused, e.Code
		return
	}
	c.fate = released
}

// own says whether the answer speaks of this call and no other.
func (c *call) own() bool {
	var m struct {
		ID     int
		Result struct {
			IsError           bool
			StructuredContent struct {
				Entry     int
				RequestID string `json:"request_id"`
			}
		}
	}
	if err := json.Unmarshal(c.answer, &m); err != nil || m.ID != c.n {
		return false
	}
	switch c.tool.Name {
	case "read_entry", "write_entry":
		return m.Result.StructuredContent.Entry == c.n
	case "create_incident_ticket":
		return m.Result.StructuredContent.RequestID == fmt.Sprintf("call-%d", c.n)
	case "get_incident_ticket":
		return m.Result.IsError // no such ticket was opened
	}
	return true
}
