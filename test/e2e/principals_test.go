package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestPrincipals serves three callers with different scopes by one gateway.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{
			{Name: "reader", Scopes: []string{"service:read"}},
			{Name: "responder", Scopes: []string{"service:read", "incident:read", "incident:create:p3"}},
			{Name: "nobody", Scopes: nil},
		},
		Upstreams: []stage.Upstream{stage.Incident("incident")}, Review: stage.ReviewIncident,
	})
	shown := map[string][]string{
		"reader":    {status, deployments},
		"responder": {create, "incident__get_incident_ticket", status, deployments},
		"nobody":    {},
	}
	for range 2 { // the second time from the private cache
		for name, want := range shown {
			if got := s.Host(name).List(t); !slices.Equal(got, want) {
				t.Errorf("%s is shown %v, want %v", name, got, want)
			}
		}
	}
	s.Events(t)
	for name, want := range shown {
		for _, tool := range shown["responder"] {
			r := s.Host(name).Call(t, tool, `{}`) // no tool takes that: who sees it learns so
			row := s.OneEvent(t)
			code := gateway.CodeUnknownTool
			if slices.Contains(want, tool) {
				code = gateway.CodeInvalidArguments
			}
			if r.Code() != string(code) || row.Code != code || string(row.Client) != name {
				t.Errorf("%s calls %s: %s, on record %+v", name, tool, r.Body, row)
			}
		}
	}
	if r := s.Host("").Ask(protocol.MethodToolsList, "").Send(t); r.Status != 401 || r.Result != nil {
		t.Errorf("a stranger got %d %s", r.Status, r.Body)
	}
}

// callIDs are what differs between two answers whatever they are about.
var callIDs = regexp.MustCompile(`"id":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// TestHiddenIsAbsent holds that a hidden, a quarantined, an unreviewed, a changed
// and an absent tool are one to the caller, byte for byte, whatever the arguments;
// and that the record tells them apart.
func TestHiddenIsAbsent(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer()
	for _, name := range []string{"hidden", "quarantined", "unreviewed", "changed", "shown"} {
		peer.Add(`{"name":"`+name+`","inputSchema":{"type":"object","required":["x"],"properties":{"x":{"type":"string","x-mcp-header":"X"}}}}`, stage.Result(`{}`))
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
		Review: func(id toolID) string {
			return map[string]string{
				"up/hidden": stage.Read("admin"), "up/quarantined": stage.Read("use") + ", quarantine: suspicious",
				"up/changed": stage.Read("use"), "up/shown": stage.Read("use"),
			}[id.String()]
		},
	})
	peer.Replace("changed", stage.Tool("changed"))
	fatal(t, s.Gateway.Refresh(t.Context(), "up"))
	if got := s.Host("alice").List(t); !slices.Equal(got, []string{"up__shown"}) {
		t.Fatalf("listed are %v", got)
	}
	s.Events(t)
	for _, args := range []string{`{}`, `{"x":"y"}`, `{"x":7,"y":[1]}`} {
		absent := s.Host("alice").Call(t, "up__absent", args)
		s.Events(t)
		cost := lastEvent(t, s)
		for name, reason := range map[string]gateway.Reason{
			"hidden": gateway.ReasonNotVisible, "quarantined": gateway.ReasonQuarantined,
			"unreviewed": gateway.ReasonUnreviewed, "changed": gateway.ReasonDefinitionChanged,
		} {
			r := s.Host("alice").Call(t, "up__"+name, args)
			if bare(r) != bare(absent) || r.Status != absent.Status || len(r.Header) != len(absent.Header) {
				t.Errorf("%s with %s answers\n%d %s, absent\n%d %s", name, args, r.Status, r.Body, absent.Status, absent.Body)
			}
			row := s.OneEvent(t)
			if row.Type != audit.ToolRefused || !slices.Equal(row.Reasons, []gateway.Reason{reason}) {
				t.Errorf("%s: on record %+v, want %q", name, row, reason)
			}
			if paid := lastEvent(t, s); paid != cost {
				t.Errorf("%s costs the record\n%s, absent\n%s", name, paid, cost)
			}
		}
	}
	if calls := peer.Calls(); len(calls) != 0 {
		t.Errorf("%d calls arrived", len(calls))
	}
}

// lastEvent is the shape of the last refusal: the names of its members, but for how
// long stages took, which only what took a microsecond has. A name is a name, whether
// it was known or only given.
func lastEvent(t *testing.T, s *stage.Stage) string {
	t.Helper()
	var last []byte
	for line := range bytes.Lines(s.Journal(t)) {
		if bytes.Contains(line, []byte(`"type":"tool.refused"`)) {
			last = line
		}
	}
	var names []string
	for name := range protocol.Members(bytes.TrimSpace(last)) {
		switch n := string(name); n {
		case "stages_us":
		case "tool", "tool_ref":
			names = append(names, "name")
		default:
			names = append(names, n)
		}
	}
	if len(names) < 5 {
		t.Fatalf("the last event is %s", last)
	}
	return strings.Join(names, " ")
}

func bare(r *stage.Reply) string { return callIDs.ReplaceAllString(string(r.Body), `"id":"…"`) }

// TestPseudonyms holds that the record names people and ids by pseudonym: what a
// host puts into an id, a name or an argument is not kept.
func TestPseudonyms(t *testing.T) {
	t.Parallel()
	const canary = "canary-of-the-host-51c2"
	peer := stage.NewPeer().Add(stage.Tool("echo"), stage.Result(stage.Text(`"`+canary+`-result"`)))
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "up", peer)},
	})
	for _, r := range []*stage.Request{
		s.Host("alice").Calling("up__echo", `{"`+canary+`":"`+canary+`"}`),
		s.Host("alice").Calling(canary, `{}`),
		changed(s.Host("alice").Calling("up__echo", `{}`), id(strconv.Quote(canary))),
		s.Host("alice").Ask(canary, ""),
		s.Host("alice").Ask(protocol.MethodToolsList, `"`+canary+`":1`),
		s.Host("alice").Ask(protocol.MethodToolsList, "").With("User-Agent", canary),
		s.Host("alice").Ask(protocol.MethodToolsList, "").With("Authorization", "Bearer "+canary),
		s.Host("alice").Ask(protocol.MethodToolsList, "").Saying(canary),
		changed(s.Host("alice").Ask(protocol.MethodToolsList, ""), version(canary)),
	} {
		r.Send(t)
	}
	stage.Await(t, "the stranger is counted", func() bool { return s.Counted(t, gateway.CodeUnauthenticated) == 1 })
	if leaked := s.Leaks(t, canary); len(leaked) > 0 {
		t.Error("what a host sent is kept or logged")
	}
	if contains(s.Journal(t), `"subject"`) {
		t.Error("subjects stand in the journal in clear")
	}
}

// TestAnswersDoNotCross lets callers of different principals call at once, over
// one process and one HTTP upstream: each gets the answer to its own arguments,
// and each call stands on record under its own caller.
func TestAnswersDoNotCross(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer().Add(stage.Tool("echo"), func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		stage.Say(w, stage.Response(m.ID, `{"content":[],"echo":`+m.Arguments()+`}`))
	})
	names := []string{"ann", "ben", "cat"}
	var principals []stage.Principal
	for _, name := range names {
		principals = append(principals, stage.Principal{Name: name, Scopes: []string{"use"}})
	}
	s := stage.Open(t, stage.Options{
		Principals: principals,
		Upstreams:  []stage.Upstream{stage.Served(t, "web", peer), stage.Process("child", "banner")},
	})
	const calls = 20
	var callers sync.WaitGroup
	for _, name := range names {
		for _, tool := range []string{"web__echo", "child__echo"} {
			for n := range calls {
				callers.Go(func() {
					args := fmt.Sprintf(`{"of":%q,"tool":%q,"n":%d}`, name, tool, n)
					r := s.Host(name).Calling(tool, args)
					r.ID = strconv.Itoa(n) // the same ids for all
					reply, err := r.Do(t.Context())
					if err != nil || reply.Get("/echo") != args || reply.ID != r.ID {
						t.Errorf("%s got %v %+v", args, err, reply)
					}
				})
			}
		}
	}
	callers.Wait()
	count := map[string]int{}
	for _, row := range s.Events(t) {
		if row.Outcome == gateway.OutcomeCommitted {
			count[string(row.Client)+" "+string(row.Tool)]++
		}
	}
	for _, name := range names {
		for _, tool := range []string{"web__echo", "child__echo"} {
			if n := count[name+" "+tool]; n != calls {
				t.Errorf("%d calls of %s to %s on record, %d were made", n, name, tool, calls)
			}
		}
	}
}
