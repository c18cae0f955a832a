package fidelity

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// host is a host of one era. What it is asked on an open call it answers with
// answer.
type host struct {
	*stage.Host
	modern   bool
	session  string
	progress string // the progress token of its next call, raw; "" = none
	answer   string
}

// heard is what came of one request.
type heard struct {
	result string
	fault  string
	notes  []note
	asked  []note
}

// answersAll are the capabilities of a host that answers whatever may be asked.
const answersAll = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`

func newHost(t testing.TB, h *stage.Host, modern bool) *host {
	t.Helper()
	if modern {
		return &host{Host: h, modern: true}
	}
	r := h.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"2025-11-25","capabilities":`+answersAll+`,"clientInfo":{"name":"raw","version":"1"}`).Send(t)
	me := &host{Host: h, session: r.Header.Get(protocol.HeaderSession)}
	begun := me.request(protocol.NotificationInitialized, nil)
	begun.ID = ""
	if begun.Send(t); me.session == "" {
		t.Fatalf("initialize: %s", r.Body)
	}
	if r := me.request(protocol.MethodSetLevel, object{{"level", `"debug"`}}).Send(t); r.Fault != nil {
		t.Fatalf("setLevel: %s", r.Body)
	}
	return me
}

// request is one request with those params; _meta is what a host of its era says.
func (h *host) request(method string, params object) *stage.Request {
	if !h.modern {
		r := h.Legacy(protocol.Revision20251125, h.session, method, params.without("_meta").members())
		if h.progress != "" {
			r.Meta = `{"progressToken":` + h.progress + `}`
		}
		return r
	}
	r := h.Ask(method, params.without("_meta").members())
	meta := parse([]byte(stage.Meta)).with(protocol.MetaClientCapabilities, answersAll).with(protocol.MetaLogLevel, `"debug"`)
	if h.progress != "" {
		meta = meta.with("progressToken", h.progress)
	}
	r.Meta = meta.String()
	if member := protocol.NameMember(method); member != "" {
		name, _ := protocol.Text([]byte(params.get(member)))
		r.With(protocol.HeaderName, protocol.EncodeHeader(name))
	}
	return r
}

// do sends a request and hears all that comes of it.
func (h *host) do(t testing.TB, method string, params object) heard {
	t.Helper()
	r := h.request(method, params)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, strings.NewReader(r.Text()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.Header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	var all heard
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "data: ")
		if strings.HasPrefix(line, "{") {
			h.hear(t, &all, line)
		}
	}
	if err := lines.Err(); err != nil || all.result == "" && all.fault == "" {
		t.Fatalf("%s %s was not answered: %s %v", method, params, resp.Status, err)
	}
	return all
}

func (h *host) hear(t testing.TB, all *heard, line string) {
	t.Helper()
	m, err := protocol.ParseMessage([]byte(line), protocol.Limits{Bytes: 16 << 20, Depth: 1000})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	switch {
	case m.Method == "" && m.Error != nil:
		all.fault = string(m.Error)
	case m.Method == "":
		all.result = string(m.Result)
	case m.ID == nil:
		all.notes = append(all.notes, note{m.Method, parse(m.Params)})
	default:
		all.asked = append(all.asked, note{m.Method, parse(m.Params)})
		reply := h.request("", nil).Saying(response(m.ID, h.answer))
		if r := reply.Send(t); r.Status != http.StatusAccepted {
			t.Fatalf("the answer was not taken: %s", strconv.Itoa(r.Status))
		}
	}
}
