package config

import (
	"os"
	"path/filepath"
	"testing"
)

// write puts a file into a fresh directory and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const designed = `# yaml-language-server: $schema=./docs/upstreams.schema.json
version: 1
listen:
  mcp: 127.0.0.1:8080            # hosts
  origins: []
  hosts: []
replica: ""
state: {dir: ./var}
exposure: ./exposure.yaml
auth:
  api_keys:
    - {id: ci, sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", subject: ci, tenant: platform, scopes: [service:read]}
  issuers: []
  stdio: {subject: local, tenant: platform, scopes: [service:read]}
policy: {dir: ./rego/policy, timeout: 50ms}
limits: {body: 4MiB, list: 8MiB, result: 8MiB, depth: 200, call_timeout: 30s}
audit: {durability: {read: process, write: disk, destructive: disk}, subjects: pseudonym}
upstreams:
  incident:
    stdio:
      command: [go, run, ./examples/incident]
      pass_env: [PATH, HOME, GOCACHE]
      env: {TZ: UTC}
      confine: {read: [examples], write: [], network: none}
  tracker:
    http: {url: "https://tracker.example/mcp", credential: {bearer: "env:TRACKER_TOKEN"}}
    timeout: 20s
    refresh: {every: 5m, ttl_cap: 1h}
    revision: {minimum: "2025-06-18", downgrade: refuse}
    relay: []
`

func TestLoadDesigned(t *testing.T) {
	t.Setenv("TRACKER_TOKEN", "hush")
	c, err := Load(write(t, "upstreams.yaml", designed))
	if err != nil {
		t.Fatal(err)
	}
	if c.Upstreams["tracker"].HTTP.Bearer.Reveal() != "hush" {
		t.Errorf("%+v", c.Upstreams["tracker"].HTTP)
	}
}
