package delivery

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"mcp-gateway/rego/pack"
	"mcp-gateway/test/stage"
)

// Two bundles make the policy, and a service with OPA's status API hears how they
// stand: what is in force by the label of its maker, and what is wrong now.
func TestReport(t *testing.T) {
	rules, facts := newPublisher(t), newPublisher(t)
	type told struct {
		Labels  map[string]string
		Bundles map[string]struct {
			Revision string `json:"active_revision"`
			Code     string
		}
	}
	heard := make(chan told, 64)
	desk1 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var u told
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/status/prod" || r.Header.Get("Authorization") != "Bearer "+canary || json.Unmarshal(raw, &u) != nil {
			t.Errorf("%s %s: %s", r.Method, r.URL, raw)
		}
		select {
		case heard <- u:
		default:
		}
	}))
	t.Cleanup(desk1.Close)
	t.Setenv("TEST_BUNDLE_TOKEN", canary)
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, rules.public, 0o600); err != nil {
		t.Fatal(err)
	}
	one := func(url string) string {
		return fmt.Sprintf("{url: %q, key: %q, credential: {bearer: \"env:TEST_BUNDLE_TOKEN\"}, poll: {min: 1h, max: 2h}}", url+"/p", "file:"+key)
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", desk(nil))},
		Settings: fmt.Sprintf("policy: {timeout: 10s, bundles: {rules: %s, facts: %s}, status: {url: %q, partition: prod, credential: {bearer: \"env:TEST_BUNDLE_TOKEN\"}}}\n",
			one(rules.URL), one(facts.URL), desk1.URL),
	})
	alice := s.Host("alice")
	until := func(what string, holds func(told) bool) {
		t.Helper()
		stage.Await(t, what, func() bool {
			for {
				select {
				case u := <-heard:
					if holds(u) {
						return true
					}
				default:
					return false
				}
			}
		})
	}
	until("both are away", func(u told) bool {
		return u.Bundles["rules"].Code == "bundle_service_unavailable" && u.Bundles["facts"].Code == "bundle_service_unavailable" && u.Labels["id"] != ""
	})
	const open = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if data.facts.open\n"
	ask := func() {
		t.Helper()
		if err := s.Gateway.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rules.offer(rules.part(t, "mcp/gateway", "r1", open))
	facts.offer(rules.part(t, "facts", "f1", "package facts\n\nopen := true\n"))
	ask()
	until("both are in force", func(u told) bool { return u.Bundles["rules"].Revision == "r1" && u.Bundles["facts"].Revision == "f1" })
	if r := alice.Call(t, "desk__look", "{}"); r.IsError() {
		t.Errorf("%s", r.Body)
	}
	facts.offer(rules.part(t, "mcp", "f2", "package mcp.more\n\nopen := true\n"))
	ask()
	until("the second facts conflict", func(u told) bool {
		return u.Bundles["facts"].Revision == "f1" && u.Bundles["facts"].Code == pack.CodeRoots && u.Bundles["rules"].Code == ""
	})
	facts.offer(rules.part(t, "facts", "f3", "package facts\n\nopen := false\n"))
	ask()
	until("the third facts are in force", func(u told) bool { return u.Bundles["facts"].Revision == "f3" && u.Bundles["facts"].Code == "" })
	if r := alice.Call(t, "desk__look", "{}"); !r.IsError() {
		t.Errorf("%s", r.Body)
	}
	if strings.Contains(s.Log(), canary) || strings.Contains(string(s.Journal(t)), canary) {
		t.Error("the credential of a service is in the log or the journal")
	}
}

// part makes a signed bundle of one root with one file.
func (p *publisher) part(t *testing.T, root, label, text string) []byte {
	t.Helper()
	raw, err := pack.Make(t.Context(), fstest.MapFS{"p.rego": {Data: []byte(text)}}, "p", pack.Build{Key: p.private, Label: label, Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
