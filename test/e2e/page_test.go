package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/test/stage"
)

func numbered(n int) []string {
	var tools []string
	for i := range n {
		tools = append(tools, stage.Tool(fmt.Sprintf("t%04d", i)))
	}
	return tools
}

// walk asks for page after page and returns the names on each.
func walk(t *testing.T, h *stage.Host, path string) (pages [][]string, cursors []string) {
	t.Helper()
	params := ""
	for range 100 {
		r := h.Ask(protocol.MethodToolsList, params).At(path).Send(t)
		sane(t, r)
		if r.Get("/cacheScope") != `"private"` {
			t.Errorf("a page of cacheScope %s", r.Get("/cacheScope"))
		}
		pages = append(pages, r.Tools(t))
		cursor := r.Get("/nextCursor")
		if cursor == "" {
			return pages, cursors
		}
		cursors = append(cursors, cursor)
		params = `"cursor":` + cursor
	}
	t.Fatal("the pages do not end")
	return nil, nil
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := newBench(t, played{}, numbered(7), func(w *proxy.World) { w.Limits.Page = 3 })
	pages, cursors := walk(t, b.host("alice"), "/mcp")
	want := [][]string{
		{"up__t0000", "up__t0001", "up__t0002"}, {"up__t0003", "up__t0004", "up__t0005"}, {"up__t0006"},
	}
	if !slices.EqualFunc(pages, want, slices.Equal) {
		t.Errorf("pages are %v", pages)
	}
	if own, _ := walk(t, b.host("alice"), "/mcp/up"); len(own) != 3 || own[2][0] != "t0006" {
		t.Errorf("pages of one upstream are %v", own)
	}
	if rows := b.rows(t); len(rows) != 6 {
		t.Errorf("%d events for six pages", len(rows))
	}
	for name, tt := range map[string]struct {
		host, path, cursor string
		ok                 bool
	}{
		"again":                   {"alice", "/mcp", cursors[0], true},
		"of another principal":    {"bob", "/mcp", cursors[0], false},
		"of another endpoint":     {"alice", "/mcp/up", cursors[0], false},
		"tampered with":           {"alice", "/mcp", cursors[0][:len(cursors[0])-3] + `AA"`, false},
		"cut":                     {"alice", "/mcp", cursors[0][:20] + `"`, false},
		"made up":                 {"alice", "/mcp", `"up__t0003"`, false},
		"empty":                   {"alice", "/mcp", `""`, false},
		"a number":                {"alice", "/mcp", `3`, false},
		"null":                    {"alice", "/mcp", `null`, false},
		"of another made gateway": {"alice", "/mcp", foreignCursor(t), false},
	} {
		r := b.host(tt.host).Ask(protocol.MethodToolsList, `"cursor":`+tt.cursor).At(tt.path).Send(t)
		if tt.ok {
			if got := r.Tools(t); !slices.Equal(got, want[1]) {
				t.Errorf("%s: %v", name, got)
			}
			continue
		}
		if r.Status != 400 || r.RPC() != -32602 || r.Code() != string(gateway.CodeInvalidParams) || r.Result != nil {
			t.Errorf("a cursor %s got %d %s", name, r.Status, r.Body)
		}
		if rows := b.rows(t); rows[len(rows)-1].Code != gateway.CodeInvalidParams {
			t.Errorf("a cursor %s is on record as %+v", name, rows[len(rows)-1])
		}
	}
}

// foreignCursor is one of a gateway with other keys.
func foreignCursor(t *testing.T) string {
	t.Helper()
	b := newBench(t, played{}, numbered(4), func(w *proxy.World) { w.Limits.Page = 3 })
	_, cursors := walk(t, b.host("alice"), "/mcp")
	return cursors[0]
}

// TestCursorOutlivesTheList goes on with a cursor after the list has changed:
// no tool comes twice, and none is passed over that was there all the time.
func TestCursorOutlivesTheList(t *testing.T) {
	t.Parallel()
	b := newBench(t, played{}, numbered(6), func(w *proxy.World) { w.Limits.Page = 2 })
	first := b.host("alice").Ask(protocol.MethodToolsList, "").Send(t)
	cursor := first.Get("/nextCursor")
	// The first tool of the next page goes, and one comes before the first page.
	tools := append([]string{stage.Tool("a0")}, slices.Delete(numbered(6), 2, 3)...)
	b.publish(t, t.TempDir(), tools)
	second := b.host("alice").Ask(protocol.MethodToolsList, `"cursor":`+cursor).Send(t)
	if got := second.Tools(t); !slices.Equal(got, []string{"up__t0003", "up__t0004"}) {
		t.Errorf("went on with %v", got)
	}
}

// TestManyTools lists more than fits on the one page that real lists are.
func TestManyTools(t *testing.T) {
	t.Parallel()
	const n = 1100
	peer := stage.NewPeer()
	peer.SetTools(numbered(n)...)
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	pages, _ := walk(t, s.Host("alice"), "/mcp")
	var all []string
	for _, page := range pages {
		all = append(all, page...)
	}
	if len(all) != n || !slices.IsSorted(all) || all[n-1] != "up__t"+strconv.Itoa(n-1) {
		t.Errorf("%d tools on %d pages, the last is %s", len(all), len(pages), all[len(all)-1])
	}
}
