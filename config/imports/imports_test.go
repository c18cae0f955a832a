package imports_test

import (
	"errors"
	"fmt"
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
	servers, err := imports.Parse("hosts.json", []byte(hosts), secret)
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
    stdio: {command: ["npx", "-y", "@x/github"], pass_env: [PATH, HOME], dir: /srv, env: {GITHUB_TOKEN: "env:GITHUB_TOKEN", TZ: UTC}}
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

// What is no secret is taken over as it is; what may be one is not, whatever its name.
func TestVariables(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, plain, dropped string }{
		"a path":              {"MEMORY_FILE_PATH", "/srv/memory.json", "/srv/memory.json", ""},
		"a word":              {"LOG_LEVEL", "debug", "debug", ""},
		"a number":            {"PORT", "8080", "8080", ""},
		"a url":               {"BASE_URL", "https://tracker.example/api/v2", "https://tracker.example/api/v2", ""},
		"a token":             {"GITHUB_TOKEN", "abc", "", ""},
		"a key":               {"NOTES_KEY", "not-for-anyone", "", ""},
		"a password":          {"DB_PASS", "abc", "", ""},
		"a secret elsewhere":  {"EXTRA", "s3cr3t", "", ""},
		"what no word is":     {"EXTRA", "9f8e7d6c5b4a39281706f5e4", "", ""},
		"a host's reference":  {"EXTRA", "${input:token}", "", ""},
		"a reference's shape": {"EXTRA", "env:OTHER", "", ""},
		"a control character": {"EXTRA", "a\\u001bb", "", ""},
		"nothing":             {"EXTRA", "", "", "variable EXTRA, which is empty"},
	} {
		servers, err := imports.Parse("hosts.json", []byte(`{"servers": {"a": {"command": "x", "env": {"`+c.variable+`": "`+c.value+`"}}}}`), secret)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := servers[0]
		if got := s.Plain[c.variable]; got != c.plain || strings.Join(s.Dropped, "") != c.dropped {
			t.Errorf("%s: taken over as %q, dropped %q", name, got, s.Dropped)
		}
		if want := c.plain == "" && c.dropped == ""; (s.Env[c.variable] != "") != want {
			t.Errorf("%s: a reference: %q, want %v", name, s.Env, want)
		}
	}
}

// What a host has switched off is named, and nothing of it is written.
func TestSwitchedOff(t *testing.T) {
	servers, err := imports.Parse("hosts.json", []byte(`{"mcpServers": {"a": {"command": "x", "disabled": true}, "b": {"command": "y", "enabled": false}, "c": {"command": "z", "disabled": false}}}`), secret)
	if err != nil {
		t.Fatal(err)
	}
	var off []string
	for _, s := range servers {
		if s.Off {
			off = append(off, s.Named)
		}
	}
	text, err := imports.Text(servers, func(string) bool { return false })
	const want = "upstreams:\n  c:\n    stdio: {command: [\"z\"], pass_env: [PATH, HOME]}\n"
	if strings.Join(off, " ") != "a b" || err != nil || string(text) != want {
		t.Errorf("off %q, %v, written:\n%s", off, err, text)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             `{`,
		"another shape":       `{"tools": []}`,
		"a secret argument":   `{"servers": {"a": {"command": "x", "args": ["--key=s3cr3t"]}}}`,
		"a secret in the url": `{"servers": {"a": {"url": "https://x.example/?key=s3cr3t"}}}`,
		"a user in the url":   `{"servers": {"a": {"url": "https://u:p@x.example/mcp"}}}`,
		"a token in the url":  `{"servers": {"a": {"url": "https://x.example/mcp?token=zz"}}}`,
		"a secret flag":       `{"servers": {"a": {"command": "x", "args": ["--api-key", "zz"]}}}`,
		"a program inline":    `{"servers": {"a": {"command": "sh", "args": ["-c", "x"]}}}`,
		"plain http":          `{"servers": {"a": {"url": "http://x.example/mcp"}}}`,
		"no url":              `{"servers": {"a": {"url": "ftp://x.example/mcp"}}}`,
		"one id for two":      `{"servers": {"a b": {"command": "x"}, "A-B": {"command": "y"}}}`,
		"nothing to run":      `{"mcp": {"servers": {"a": {"type": "stdio"}}}}`,
		"no letter":           `{"servers": {"123": {"command": "x"}}}`,
		"a folder's name":     `{"servers": {"a": {"command": "x", "args": ["${workspaceFolder}/srv.py"]}}}`,
		"an input":            `{"servers": {"a": {"url": "https://x.example/${input:zone}"}}}`,
		"a directory":         `{"servers": {"a": {"command": "x", "cwd": "${workspaceFolder}"}}}`,
		"an open comment":     `{"servers": {"a": {"command": "x"}}} /* `,
		"nothing but a comma": `{"servers": {"a": {"command": "x", "args": [,]}}}`,
		"two commas":          `{"servers": {"a": {"command": "x", "args": ["y",,]}}}`,
	} {
		if servers, err := imports.Parse("hosts.json", []byte(text), secret); err == nil {
			t.Errorf("%s: %+v", name, servers)
		} else if said := fmt.Sprint(err); strings.Contains(said, "zz") || strings.Contains(said, "u:p") { // what was refused is not told
			t.Errorf("%s: %s", name, said)
		}
	}
}

// A file says where it can't be read, and all that is wrong with its servers at once.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "hosts.json: bad_shape: neither `mcpServers` nor `servers` is there",
		"{\n  // ours\n  \"servers\": {\"a\" 1}\n}":                       "hosts.json:3:19: bad_json: invalid character '1' after object key",
		"{\"servers\": {\n  \"a\": {\"command\": \"x\", \"args\": [1]}}}": "hosts.json:2:34: wrong_type: \"servers.args\" is of kind number, where hosts write another",
		`{"servers": {"a": {"command": "${input:zz}"}, "b": {"url": "http://u:p@x.example"}, "c": {}, "9": {"command": "x"}}}`: `hosts.json: bad_name: "9" has no letter to begin an upstream's id with
hosts.json: host_reference: "a" has ${input:zz} where it is started or reached: its host fills that in, and the gateway does not; write what it stands for
hosts.json: bad_url: "b" is reached in the clear: plain http is for loopback only; use https
hosts.json: secret: "b" has a secret in its command or url, where everybody on the machine can read it; give it by its environment first
hosts.json: nothing_to_run: "c" has neither a command nor a url`,
	} {
		if _, err := imports.Parse("hosts.json", []byte(text), secret); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// What hosts' own editors let people write is read as they do: comments, and commas at the
// end. What only looks so stays.
func TestComments(t *testing.T) {
	servers, err := imports.Parse("hosts.json", []byte(`// our servers
{ /* all
  of them */ "servers": {
    "a": {"command": "x", "args": ["//y", "/*z*/", "\\\",]", "a,}",],}, // the first
    "b": {"url": "https://b.example/mcp", /**/ },
  },
} //`), secret)
	if err != nil || len(servers) != 2 {
		t.Fatalf("%+v, %v", servers, err)
	}
	if got := strings.Join(servers[0].Command, " "); got != `x //y /*z*/ \",] a,}` || servers[1].URL != "https://b.example/mcp" {
		t.Errorf("%s, %s", got, servers[1].URL)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(hosts))
	f.Add([]byte("{\"servers\": { /* c */ \"a\": {\"command\": \"x\",}, // d\n},}"))
	f.Add([]byte(`{"mcp":{"servers":{"é":{"serverUrl":"x"}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		servers, err := imports.Parse("hosts.json", text, secret)
		for _, s := range servers {
			if s.Off {
				continue
			}
			if err != nil || s.ID == "" || len(s.ID) > 31 || (s.Command == nil) == (s.URL == "") {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
