package cases

import (
	"bytes"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// scene is a gateway before two upstreams: "up" has what the case is about and a
// tool "good", and "other" has a tool "good" only. Alice may call everything.
type scene struct {
	*stage.Stage
	c     *trial
	up    *stage.Peer
	alice *stage.Host
}

const done = `"done"`

// newPeer is a peer with the one tool "good".
func newPeer() *stage.Peer {
	return stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(done)))
}

// open sets the scene. Upstreams of the options stand beside these two.
func (c *trial) open(up *stage.Peer, o stage.Options) *scene {
	c.Helper()
	o.Upstreams = append([]stage.Upstream{stage.Served(c, "up", up), stage.Served(c, "other", newPeer())}, o.Upstreams...)
	return c.openOnly(up, o)
}

// openOnly is open for a case that brings an upstream "up" of its own kind, and
// "other" with it.
func (c *trial) openOnly(up *stage.Peer, o stage.Options) *scene {
	c.Helper()
	s := stage.Open(c, o)
	return &scene{Stage: s, c: c, up: up, alice: s.Host("alice")}
}

// served holds that the tools of which the case is not are served as before.
func (s *scene) served(also ...string) {
	s.c.Helper()
	for _, tool := range append([]string{"up__good", "other__good"}, also...) {
		r := s.alice.Call(s.c, tool, `{}`)
		s.c.hold(service, r.Code() == "" && r.Get("/content/0/text") == done, "%s answers %d %.300s", tool, r.Status, r.Body)
	}
	s.Events(s.c)
	s.up.Calls()
}

// refused holds that a request was refused with that code, and that its one event
// says so and why.
func (s *scene) refused(r *stage.Reply, code gateway.Code, reasons ...gateway.Reason) audit.Row {
	s.c.Helper()
	s.c.hold(outward, r.Code() == string(code) && (r.Result == nil || r.IsError()), "answered %d %.400s; want %q", r.Status, r.Body, code)
	row := s.OneEvent(s.c)
	s.c.hold(event, row.Code == code && slices.Equal(row.Reasons, reasons), "%s %q %q; want %q %q", row.Type, row.Code, row.Reasons, code, reasons)
	return row
}

// rejected holds a refusal of the transport: its HTTP status, its JSON-RPC code and
// its one event, and that nothing reached the upstream.
func (s *scene) rejected(r *stage.Reply, status, rpc int, code gateway.Code) {
	s.c.Helper()
	s.c.hold(outward, r.Status == status && r.RPC() == rpc && r.Code() == string(code) && r.Result == nil,
		"answered %d %d %q: %.300s; want %d %d %q", r.Status, r.RPC(), r.Code(), r.Body, status, rpc, code)
	row := s.OneEvent(s.c)
	s.c.hold(event, row.Code == code, "on record as %q %q", row.Type, row.Code)
	s.untouched()
}

// passed holds that a call was let through and executed, and is on record so.
func (s *scene) passed(r *stage.Reply) audit.Row {
	s.c.Helper()
	s.c.hold(outward, r.Status == 200 && r.Result != nil && r.Code() == "", "answered %d %.400s", r.Status, r.Body)
	row := s.OneEvent(s.c)
	s.c.hold(event, row.Type == audit.ToolDecided && row.Effect == gateway.Allow && row.Outcome == gateway.OutcomeCommitted && row.Settled.Seq > 0,
		"%s %q %q %q", row.Type, row.Effect, row.Code, row.Outcome)
	return row
}

// withheld holds that a tool of "up" is not listed, that a call by its name is
// answered like one of a tool that does not exist, and that both the call's event
// and the one of its listing name the reason.
func (s *scene) withheld(name string, reason gateway.Reason) {
	s.c.Helper()
	exposed := "up__" + name
	s.c.hold(outward, !slices.Contains(s.alice.List(s.c), exposed), "%s is listed", exposed)
	s.Events(s.c)
	s.up.Calls()
	row := s.refused(s.alice.Call(s.c, exposed, `{}`), gateway.CodeUnknownTool, reason)
	s.c.hold(event, string(row.Tool) == exposed && row.ToolRef == "", "its refused call is on record as one of %q %q", row.Tool, row.ToolRef)
	changes := s.Changes(s.c, exposed)
	s.c.hold(event, len(changes) > 0 && slices.Equal(changes[len(changes)-1].Reasons, []gateway.Reason{reason}), "%s is on record as %+v", exposed, changes)
	s.untouched()
}

// untouched holds that nothing was called at "up" since it was asked last.
func (s *scene) untouched() {
	s.c.Helper()
	calls := s.up.Calls()
	s.c.hold(outward, len(calls) == 0, "%d calls reached the upstream", len(calls))
}

// journal returns all events that have been written, oldest first.
func (s *scene) journal() []audit.Event {
	s.c.Helper()
	var all []audit.Event
	for line := range bytes.Lines(s.Journal(s.c)) {
		if line[0] != '{' {
			continue // of a checkpoint
		}
		var e audit.Event
		s.c.must(audit.Decode(bytes.TrimSuffix(line, []byte("\n")), &e))
		all = append(all, e)
	}
	return all
}

// last returns the last event that fits.
func (s *scene) last(fits func(*audit.Event) bool) audit.Event {
	s.c.Helper()
	var found audit.Event
	for _, e := range s.journal() {
		if fits(&e) {
			found = e
		}
	}
	return found
}

// finished returns the last tool.finished.
func (s *scene) finished() audit.Event {
	s.c.Helper()
	return s.last(func(e *audit.Event) bool { return e.Type == audit.ToolFinished })
}

// counted returns how often a class stands in a list of counts.
func counted(list []audit.Count, class string) int {
	for _, c := range list {
		if c.Class == class {
			return int(c.N)
		}
	}
	return 0
}

// legacy begins a session of alice and returns how she asks in it.
func (s *scene) legacy(capabilities string) func(method, params string) *stage.Request {
	s.c.Helper()
	return begin(s.c, s.alice, capabilities)
}

// begin initializes a session of a host of 2025-11-25.
func begin(c *trial, h *stage.Host, capabilities string) func(method, params string) *stage.Request {
	c.Helper()
	return beginAs(c, h, protocol.Revision20251125, capabilities)
}

// beginAs is begin for a host of a revision.
func beginAs(c *trial, h *stage.Host, revision, capabilities string) func(method, params string) *stage.Request {
	c.Helper()
	r := h.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"raw","version":"1"}`).Send(c)
	session := r.Header.Get(protocol.HeaderSession)
	if session == "" {
		c.Fatalf("initialize: %d %s", r.Status, r.Body)
	}
	n := h.Legacy(revision, session, protocol.NotificationInitialized, "")
	n.ID = ""
	n.Send(c)
	return func(method, params string) *stage.Request {
		return h.Legacy(revision, session, method, params)
	}
}

// eras returns how alice calls a tool in either era. Arguments are raw JSON.
func (s *scene) eras() map[string]func(tool, arguments string) *stage.Reply {
	s.c.Helper()
	legacy := s.legacy(`{}`)
	s.Events(s.c)
	return map[string]func(string, string) *stage.Reply{
		"modern": func(tool, arguments string) *stage.Reply { return s.alice.Call(s.c, tool, arguments) },
		"legacy": func(tool, arguments string) *stage.Reply {
			return legacy(protocol.MethodToolsCall, `"name":"`+tool+`","arguments":`+arguments).Send(s.c)
		},
	}
}
