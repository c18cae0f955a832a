package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
)

// rig is a gateway before replayed servers, and a host that may read them all.
type rig struct {
	dir     string
	servers map[string]string // upstream id → file
	gateway *run.Gateway
	url     string
	key     string
}

// newRig starts a gateway that has listed every server and reviewed none.
func newRig(t *testing.T, servers map[string]string) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir(), servers: servers}
	r.configure(t)
	r.approve(t, nil)
	g, err := run.Open(t.Context(), run.Options{
		ConfigPath: filepath.Join(r.dir, "upstreams.yaml"), Version: "corpus",
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g.Handler())
	t.Cleanup(func() {
		front.Close()
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for id := range servers {
		if err := g.Refresh(t.Context(), id); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	r.gateway, r.url = g, front.URL+"/mcp"
	return r
}

func (r *rig) configure(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	key, sum := auth.NewKey()
	r.key = key
	var text strings.Builder
	fmt.Fprintf(&text, "version: 1\nlisten: {mcp: \"127.0.0.1:0\"}\nstate: {dir: ./var}\nexposure: ./exposure.yaml\n"+
		"auth:\n  api_keys:\n    - {id: host, sha256: %q, subject: host, scopes: [\"corpus:read\"]}\nupstreams:\n", sum)
	for id, file := range r.servers {
		fmt.Fprintf(&text, "  %s: {stdio: {command: [%q], env: {%s: %q}}, timeout: 60s}\n", id, self, replayed, file)
	}
	r.write(t, "upstreams.yaml", text.String())
}

// approve writes the review: every observation that has a name a reviewer can
// write down is approved as it was observed, also those that can't be served.
func (r *rig) approve(t *testing.T, all []registry.Observation) {
	t.Helper()
	digests := map[string]map[string]gateway.Digest{}
	for _, o := range all {
		if o.ID.Name == "" {
			continue
		}
		if digests[o.ID.Upstream] == nil {
			digests[o.ID.Upstream] = map[string]gateway.Digest{}
		}
		digests[o.ID.Upstream][o.ID.Name] = o.Digest
	}
	text := strings.Builder{}
	text.WriteString("version: 1\ntools:\n")
	for _, id := range slices.Sorted(maps.Keys(digests)) {
		fmt.Fprintf(&text, "  %s:\n", id)
		for _, tool := range slices.Sorted(maps.Keys(digests[id])) {
			fmt.Fprintf(&text, "    %q: {definition: %q, side_effect: read, scopes: [\"corpus:read\"], "+
				"owner: tests, why: replay, approved_by: tests, approved_at: 2026-09-01}\n", tool, digests[id][tool])
		}
	}
	if len(digests) == 0 {
		text.Reset()
		text.WriteString("version: 1\n")
	}
	r.write(t, "exposure.yaml", text.String())
	if r.gateway == nil {
		return
	}
	if err := r.gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// list asks an endpoint for all pages of its tools, as a host of 2026-07-28.
func (r *rig) list(t *testing.T, endpoint string) []object {
	t.Helper()
	var tools []object
	for cursor, more := "", true; more; {
		var page struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		if err := json.Unmarshal(r.ask(t, endpoint, cursor), &page); err != nil {
			t.Fatal(err)
		}
		for _, raw := range page.Tools {
			tools = append(tools, decode(t, raw))
		}
		cursor, more = page.NextCursor, page.NextCursor != ""
	}
	return tools
}

// ask returns the result of one tools/list.
func (r *rig) ask(t *testing.T, endpoint, cursor string) json.RawMessage {
	t.Helper()
	params := map[string]any{"_meta": map[string]any{
		protocol.MetaVersion:            protocol.Revision20260728,
		protocol.MetaClientInfo:         map[string]string{"name": "corpus", "version": "1"},
		protocol.MetaClientCapabilities: struct{}{},
	}}
	if cursor != "" {
		params["cursor"] = cursor
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": protocol.MethodToolsList, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+endpoint, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	req.Header.Set(protocol.HeaderMethod, protocol.MethodToolsList)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	var answer struct{ Result, Error json.RawMessage }
	if err != nil || json.Unmarshal(raw, &answer) != nil || answer.Result == nil {
		t.Fatalf("tools/list: %v, HTTP %d %s", err, resp.StatusCode, raw)
	}
	return answer.Result
}
