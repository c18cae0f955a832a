package imports_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/config/imports"
)

func secret(s string) bool { return strings.Contains(s, "s3cr3t") }

const hosts = `{"mcpServers": {
  "GitHub Server": {"command": "npx", "args": ["-y", "@x/github"], "env": {"GITHUB_TOKEN": "s3cr3t-1", "TZ": "UTC"}, "cwd": "/srv"},
  "tracker": {"type": "http", "url": "https://tracker.example/mcp", "headers": {"Authorization": "Bearer s3cr3t-2", "X-Team": "a"}}}}`

func TestImport(t *testing.T) {
	servers, err := imports.Parse([]byte(hosts), secret)
	if err != nil || len(servers) != 2 {
		t.Fatalf("%+v, %v", servers, err)
	}
	path := filepath.Join(t.TempDir(), "upstreams.yaml")
	const before = "version: 1\n# ours\nupstreams:\n  own: {stdio: {command: [own]}} # stays\n"
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	none := func(string) bool { return false }
	if err := imports.Add(path, servers, none); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = before + `  github-server:
    stdio: {command: ["npx", "-y", "@x/github"], pass_env: [PATH, HOME], dir: /srv, env: {GITHUB_TOKEN: "env:GITHUB_TOKEN", TZ: "env:TZ"}}
  tracker:
    http: {url: "https://tracker.example/mcp", credential: {bearer: "env:TRACKER_TOKEN"}}
`
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
	if strings.Contains(string(got), "s3cr3t") {
		t.Error("a secret was written")
	}
	var taken *imports.ErrTaken
	if err := imports.Add(path, servers, func(id string) bool { return id == "tracker" }); !errors.As(err, &taken) {
		t.Errorf("twice: %v", err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != want {
		t.Errorf("a refused import wrote %s, %v", again, err)
	}
	if got := servers[1].Dropped; len(got) != 1 || got[0] != "header X-Team" {
		t.Errorf("dropped %v", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             `{`,
		"another shape":       `{"tools": []}`,
		"a secret argument":   `{"servers": {"a": {"command": "x", "args": ["--key=s3cr3t"]}}}`,
		"a secret in the url": `{"servers": {"a": {"url": "https://x.example/?key=s3cr3t"}}}`,
		"one id for two":      `{"servers": {"a b": {"command": "x"}, "A-B": {"command": "y"}}}`,
		"nothing to run":      `{"mcp": {"servers": {"a": {"type": "stdio"}}}}`,
		"no letter":           `{"servers": {"123": {"command": "x"}}}`,
	} {
		if servers, err := imports.Parse([]byte(text), secret); err == nil {
			t.Errorf("%s: %+v", name, servers)
		}
	}
	if _, err := imports.Parse([]byte(`{}`), secret); !errors.Is(err, imports.ErrShape) {
		t.Errorf("empty: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(hosts))
	f.Add([]byte(`{"mcp":{"servers":{"é":{"serverUrl":"x"}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		servers, err := imports.Parse(text, secret)
		for _, s := range servers {
			if err != nil || s.ID == "" || len(s.ID) > 31 || (s.Command == nil) == (s.URL == "") {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
