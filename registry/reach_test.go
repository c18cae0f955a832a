package registry

import (
	"testing"

	"mcp-gateway/gateway"
)

func TestReachURI(t *testing.T) {
	r := New(Options{Trust: func(string) bool { return true }})
	_, err := r.Publish("up", Listing{
		Resources: [][]byte{[]byte(`{"uri":"Desk://Tickets/%41","name":"a"}`)},
		Templates: [][]byte{[]byte(`{"uriTemplate":"desk://tickets/{id}","name":"b"}`), []byte(`{"uriTemplate":"desk://{+all}","name":"c"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	held := &Exposure{Items: map[gateway.ItemID]*Record{{Kind: gateway.KindResource, Upstream: "up", Name: "desk://tickets/A"}: {Quarantine: "asks"}}}
	s := r.Snapshot()
	index := map[string]int{}
	for _, item := range s.All() {
		index[item.ID.Name] = item.Index
	}
	const resource, first, second = "desk://tickets/A", "desk://tickets/{id}", "desk://{+all}"
	for _, tt := range []struct {
		uri, hidden, want, spelled string
	}{
		{"desk://tickets/A", "", resource, "Desk://Tickets/%41"},
		{"desk://tickets/A", resource, resource, "Desk://Tickets/%41"}, // hidden, and reached through nothing else
		{"desk://tickets/7", "", first, "desk://tickets/7"},
		{"desk://tickets/7", first, second, "desk://tickets/7"},
		{"desk://tickets/7/log", second, second, "desk://tickets/7/log"},
		{"other://x", "", "", ""},
	} {
		p, reason := s.ReachURI("up", tt.uri, func(i int) bool { return tt.hidden == "" || i != index[tt.hidden] })
		switch {
		case tt.want == "" && reason != gateway.ReasonToolAbsent, tt.want != "" && reason != "":
			t.Errorf("%s: %s", tt.uri, reason)
		case p.Valid() && (p.Item().ID.Name != tt.want || p.Item().Spelled(tt.uri) != tt.spelled):
			t.Errorf("%s without %q reaches %s as %s", tt.uri, tt.hidden, p.Item().ID, p.Item().Spelled(tt.uri))
		}
	}
	r.SetExposure(held)
	if p, reason := r.Snapshot().ReachURI("up", resource, func(int) bool { return true }); p.Valid() || reason == "" || reason == gateway.ReasonToolAbsent {
		t.Errorf("a resource that is held back is reached as %v, %q", p.Item(), reason)
	}
}
