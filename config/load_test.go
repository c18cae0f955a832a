package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"mcp-gateway/config/listen"
	"mcp-gateway/config/logs"
	"mcp-gateway/config/secret"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/schema"
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

// load loads a text from a fresh directory.
func load(t testing.TB, text string) (*Config, error) {
	t.Helper()
	return Load(write(t, "upstreams.yaml", text))
}

// codes returns the codes of an error's problems, sorted.
func codes(t testing.TB, err error) []string {
	t.Helper()
	var problems gateway.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatalf("%T: %v", err, err)
	}
	var out []string
	for _, p := range problems {
		out = append(out, p.Code)
	}
	slices.Sort(out)
	return out
}

func TestLoadDesigned(t *testing.T) {
	t.Setenv("TRACKER_TOKEN", "hush")
	text, err := os.ReadFile("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(c.File)
	key := c.Auth.Keys[0].Principal
	if key.Client != "ci" || key.Subject != "ci" || key.Issuer != "gateway" || key.Method != gateway.AuthAPIKey || !slices.Equal(key.Scopes, []string{"service:read"}) {
		t.Errorf("key = %+v", key)
	}
	if p := c.Auth.Stdio; p == nil || p.Subject != "local" || p.Method != gateway.AuthStdio || c.Auth.Anonymous != nil {
		t.Errorf("auth = %+v", c.Auth)
	}
	if c.State.Dir != filepath.Join(dir, "var") || c.Exposure != filepath.Join(dir, "exposure.yaml") || c.Policy.Dir != filepath.Join(dir, "rego/policy") {
		t.Errorf("paths %s, %s, %s", c.State.Dir, c.Exposure, c.Policy.Dir)
	}
	if want := (Limits{Body: 4 << 20, List: 8 << 20, Result: 8 << 20, Item: 4 << 20, Depth: 200, CallTimeout: 30 * time.Second, RepeatWait: 5 * time.Second}); !reflect.DeepEqual(c.Limits, want) {
		t.Errorf("limits = %+v", c.Limits)
	}
	incident := c.Upstreams["incident"]
	if incident.ID != "incident" || incident.Timeout != 30*time.Second || incident.Stdio.Dir != dir || incident.Stdio.Env["TZ"].Reveal() != "UTC" || incident.Pos.Line == 0 {
		t.Errorf("incident = %+v", incident)
	}
	if c := incident.Stdio.Confine; c == nil || c.Network != confine.None || !slices.Equal(c.Read, []string{filepath.Join(dir, "examples")}) {
		t.Errorf("confine = %+v", c)
	}
	tracker := c.Upstreams["tracker"]
	if tracker.HTTP.Bearer.Reveal() != "hush" || tracker.Timeout != 20*time.Second || tracker.Refresh != (Refresh{5 * time.Minute, time.Hour}) || tracker.Revision != (Revision{"2025-06-18", RefuseDowngrade}) {
		t.Errorf("tracker = %+v", tracker)
	}
}

func TestDefaults(t *testing.T) {
	c, err := load(t, "version: 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen.MCP != "127.0.0.1:8080" || c.Policy.Timeout != 50*time.Millisecond || c.Audit != (Audit{Read: Process, Write: Disk, Destructive: Disk, Subjects: Pseudonym}) || !strings.HasPrefix(c.Revision, "sha256:") {
		t.Errorf("%+v", c)
	}
}

// TestRules holds each rule to its code, by a file that breaks that rule alone.
func TestRules(t *testing.T) {
	t.Setenv("CONFIG_TEST_LINES", "a\nb")
	http := func(rest string) string { return "upstreams: {a: {http: {" + rest + "}}}" }
	command := func(rest string) string { return "upstreams: {a: {stdio: {command: [" + rest + "]}}}" }
	for text, want := range map[string]string{
		"":                                                 "",
		http(`url: "https://a.example/mcp"`):               "",
		http(`url: "http://127.0.0.1:3/mcp"`):              "",
		http(`url: "http://[::1]:3/mcp"`):                  "",
		http(`url: "http://localhost/mcp"`):                "",
		http(`url: "http://10.0.0.1/mcp"`):                 "insecure_url",
		http(`url: "http://127.0.0.1.a.example/mcp"`):      "insecure_url",
		http(`url: "//a.example/mcp"`):                     "bad_url",
		http(`url: "https:///mcp"`):                        "bad_url",
		http(`url: "https://a.example/%zz"`):               "bad_url",
		http(`url: "https://a.example/mcp#x"`):             "bad_url",
		http(`url: "ftp://a.example/mcp"`):                 "bad_url",
		http(`url: "https://a@a.example/mcp"`):             "url_credentials",
		http(`credential: {bearer: "env:CONFIG_TEST_NO"}`): "missing_key secret_missing",
		http(`url: "https://a.example", credential: {bearer: "env:CONFIG_TEST_LINES"}`): "secret_malformed",
		http(`url: "https://a.example", credential: {bearer: "vault:x"}`):               "literal_secret",
		command(``):                                   "empty",
		command(`server, --port, "1"`):                "",
		command(`sh, -c, x`):                          "inline_code",
		command(`/bin/bash, -lc, x`):                  "inline_code",
		command(`env, A=1, zsh, -o, pipefail, -c, x`): "inline_code",
		command(`bash, script.sh, -c`):                "",
		command(`node, -e, x`):                        "inline_code",
		command(`node, --eval=x`):                     "inline_code",
		command(`node, -r, mod, -pe, x`):              "inline_code",
		command(`node, server.js, -e`):                "",
		command(`python3.12, -Ic, x`):                 "inline_code",
		command(`python, -m, server`):                 "",
		command(`python, -`):                          "inline_code",
		command(`bash`):                               "inline_code",
		command(`python3, -u`):                        "inline_code",
		command(`python3, -m, server, -c, x`):         "",
		command(`npx, -y, -c, x`):                     "inline_code",
		command(`npx, -y, pkg, -c, x`):                "",
		command(`npm, exec, -c, x`):                   "inline_code",
		command(`env, -S, node server.js`):            "inline_code",
		command(`awk, "BEGIN { system(1) }"`):         "inline_code",
		command(`awk, -f, server.awk`):                "",
		command(`busybox, sh, -c, x`):                 "inline_code",
		command(`server, --language, python`):         "",
		command(`tsx, -e, x`):                         "inline_code",
		command(`python, -Werror::Cat, server.py`):    "",
		command(`"C:\\bin\\CMD.EXE", /C, x`):          "inline_code",
		command(`pwsh, -EncodedCommand, x`):           "inline_code",
		command(`deno, eval, x`):                      "inline_code",
		command(`deno, run, eval.ts`):                 "",
		command(`perl, -we, x`):                       "inline_code",
		command(`npx, -y, "@x/server"`):               "",
		command(`server, --token, x`):                 "literal_secret",
		command(`server, --token-file, /run/x`):       "",
		command(`server, --api_key=x`):                "literal_secret",
		command(`server, --token, --verbose`):         "",
		"upstreams: {a: {stdio: {command: [sh, -c, x], unsafe_inline_code: true}}}":                           "",
		"upstreams: {a: {stdio: {command: [x], env: {A_TOKEN: x}}}}":                                          "literal_secret",
		"upstreams: {a: {stdio: {command: [x], env: {A B: x}}}}":                                              "bad_env_name",
		"upstreams: {a: {stdio: {command: [x]}, relay: [tools]}}":                                             "unknown_value",
		"upstreams: {a: {stdio: {command: [x]}, extensions: [io.modelcontextprotocol/ui, v.example/a-b.c]}}":  "",
		"upstreams: {a: {stdio: {command: [x]}, extensions: [ui, 1a/x, a/x-, a./x]}}":                         "bad_extension bad_extension bad_extension bad_extension",
		"upstreams: {a: {stdio: {command: [x]}, extensions: [io.modelcontextprotocol/tasks]}}":                "tasks_unsupported",
		"upstreams: {a: {stdio: {command: [x], confine: {write: [.]}}}}":                                      "review_exposed state_exposed",
		"upstreams: {a: {stdio: {command: [x], confine: {read: [/]}}}}":                                       "state_exposed",
		"upstreams: {a: {stdio: {command: [x], confine: {read: [../a]}}}}":                                    "",
		"upstreams: {a: {stdio: {command: [x], confine: {}, unsafe_unconfined: true}}}":                       "confined_and_not",
		"upstreams: {a: {stdio: {command: [x], confine: {uid: 0}}}}":                                          "out_of_range",
		"upstreams: {a: {stdio: {command: [x], confine: {network: some}}}}":                                   "unknown_value",
		"upstreams: {a: {stdio: {command: [x], confine: {memory: lots}}}}":                                    "bad_size",
		"state: {dir: s}\npolicy: {dir: p}\nupstreams: {a: {stdio: {command: [x], confine: {write: [p/q]}}}}": "review_exposed",
		"listen: {mcp: \":8080\"}": "",
		"listen: {tls: {certificate: absent, key: \"file:upstreams.yaml\"}}":                                      "certificate_missing",
		"listen: {tls: {certificate: upstreams.yaml, key: \"file:upstreams.yaml\"}}":                              "bad_certificate",
		"listen: {tls: {certificate: upstreams.yaml}}":                                                            "missing_key",
		"listen: {tls: {certificate: upstreams.yaml, key: hunter2}}":                                              "literal_secret",
		"listen: {mcp: localhost}":                                                                                "bad_address",
		"listen: {mcp: \"a:b:1\"}":                                                                                "bad_address",
		"auth: {unsafe_loopback_anonymous: {scopes: [a]}}":                                                        "",
		"listen: {mcp: \":8080\"}\nauth: {unsafe_loopback_anonymous: {scopes: [a]}}":                              "anonymous_not_loopback",
		"auth: {unsafe_loopback_anonymous: {}}\nupstreams: {a: {stdio: {command: [x]}}}":                          "anonymous_with_stdio",
		"auth: {unsafe_loopback_anonymous: {}}\nupstreams: {a: {stdio: {command: [x], confine: {read: [../a]}}}}": "",
		"auth: {stdio: {subject: a, scopes: [\"a:{b}\"]}}":                                                        "bad_scope",
		"auth: {issuers: []}":                                                                     "",
		"policy: {bundle: {file: p.tar.gz}}":                                                      "no_key",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true}}":                               "",
		"policy: {bundle: {unsafe_unsigned: true}}":                                               "one_source",
		"policy: {bundle: {file: p.tar.gz, url: \"https://b.example/p\", unsafe_unsigned: true}}": "one_source",
		"policy: {bundles: {}}":                                                                   "empty",
		"policy: {bundles: {A: {file: p.tar.gz, unsafe_unsigned: true}}}":                         "bad_id empty",
		"policy: {bundles: {a: {file: p.tar.gz, unsafe_unsigned: true}, b: {file: q.tar.gz, unsafe_unsigned: true}}}": "",
		"policy: {bundles: {a: {file: p.tar.gz, unsafe_unsigned: true}, b: {file: p.tar.gz, unsafe_unsigned: true}}}": "one_source",
		"policy: {bundles: {a: {file: p.tar.gz}}}": "no_key",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true}, bundles: {a: {file: q.tar.gz, unsafe_unsigned: true}}}":                             "two_policies",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true}, status: {url: \"https://s.example\"}}":                                              "",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true}, status: {url: \"http://s.example\"}}":                                               "insecure_url",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true}, status: {url: \"https://s.example\", partition: \"../x\"}}":                         "bad_partition",
		"policy: {dir: p, status: {url: \"https://s.example\"}}":                                                                                       "no_bundle",
		"policy: {dir: p, bundle: {file: p.tar.gz, unsafe_unsigned: true}}":                                                                            "two_policies",
		"policy: {bundle: {url: \"http://b.example/p\", unsafe_unsigned: true}}":                                                                       "insecure_url",
		"policy: {bundle: {file: p.tar.gz, unsafe_unsigned: true, poll: {min: 1s}}}":                                                                   "no_service",
		"policy: {bundle: {url: \"https://b.example/p\", unsafe_unsigned: true, poll: {min: 5m}}}":                                                     "out_of_range",
		"policy: {bundle: {url: \"https://b.example/p\", unsafe_unsigned: true, poll: {min: 1ms}}}":                                                    "out_of_range",
		"policy: {bundle: {url: \"https://b.example/p\", unsafe_unsigned: true, credential: {bearer: hunter2}}}":                                       "literal_secret",
		"policy: {bundle: {url: \"https://b.example/p\", key: \"file:absent\"}}":                                                                       "secret_missing",
		"policy: {bundle: {url: \"https://b.example/p\", key: \"file:upstreams.yaml\"}}":                                                               "bad_key",
		"policy: {bundle: {file: p/q.tar.gz, unsafe_unsigned: true}}\nstate: {dir: s}\nupstreams: {a: {stdio: {command: [x], confine: {write: [p]}}}}": "review_exposed",
		"networks: [10.20.0.0/16, \"fd12:3456::/32\", 127.0.0.0/8]":                                                                                    "",
		"networks: [10.20.0.1/16]":                  "bad_network",
		"networks: [10.20.0.1]":                     "bad_network",
		"networks: [169.254.169.254/32]":            "network_refused",
		"networks: [0.0.0.0/0]":                     "network_refused",
		"networks: [\"fd00::/8\"]":                  "network_refused",
		"networks: [\"::ffff:a00:0/104\"]":          "network_refused",
		"upstreams: {a_b: {stdio: {command: [x]}}}": "bad_id",
	} {
		_, err := load(t, "version: 1\n"+text)
		if got := strings.Join(codes(t, err), " "); got != want {
			t.Errorf("%s\n got %q, want %q\n%v", text, got, want, err)
		}
	}
}

// TestStateBehindLink holds that a link does not hide what a child could reach.
func TestStateBehindLink(t *testing.T) {
	path := write(t, "upstreams.yaml", "version: 1\nupstreams: {a: {stdio: {command: [x], confine: {read: [link]}}}}")
	dir := filepath.Dir(path)
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !slices.Equal(codes(t, err), []string{"state_exposed"}) {
		t.Error(err)
	}
}

func TestSecretFile(t *testing.T) {
	path := write(t, "upstreams.yaml", "version: 1\nupstreams: {a: {http: {url: \"https://a.example\", credential: {bearer: \"file:token\"}}}}")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "token"), []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil || c.Upstreams["a"].HTTP.Bearer.Reveal() != "hush" {
		t.Fatalf("%v", err)
	}
}

// TestSecretIsNotPrinted prints a Config and its secret in every way there is.
func TestSecretIsNotPrinted(t *testing.T) {
	s := secret.New("hush")
	held := HTTP{Bearer: s}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T%v"} {
		for _, v := range []any{s, &s, held, &held, []Secret{s}, map[string]Secret{"k": s}} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, "hush") || strings.Contains(got, "68757368") {
				t.Errorf("%s of %T: %s", verb, v, got)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"a": s, "b": held})
	if err != nil || strings.Contains(string(text), "hush") || s.LogValue().String() != "[secret]" || s.String() != "[secret]" {
		t.Errorf("%s, %v", text, err)
	}
}

func TestKeep(t *testing.T) {
	a, err := load(t, "version: 1\nreplica: a\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := load(t, "version: 1\nreplica: b\nlisten: {mcp: 127.0.0.1:1}\nstate: {dir: other}\nlimits: {depth: 9}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.Keep(b), []string{"listen.mcp", "state.dir", "replica"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if b.Replica != "a" || b.Listen.MCP != a.Listen.MCP || b.State.Dir != a.State.Dir || b.Limits.Depth != 9 {
		t.Errorf("kept %+v", b)
	}
	if got := a.Keep(b); got != nil {
		t.Errorf("once more %v", got)
	}
	b.Listen.TLS = &listen.TLS{Certificate: "a"}
	if got, want := a.Keep(b), []string{"listen.tls"}; !reflect.DeepEqual(got, want) || b.Listen.TLS != nil {
		t.Errorf("TLS: kept %v", got)
	}
	a.Listen.TLS, b.Listen.TLS = &listen.TLS{Certificate: "a"}, &listen.TLS{Certificate: "b"}
	if got := a.Keep(b); got != nil || b.Listen.TLS.Certificate != "b" {
		t.Errorf("another certificate: kept %v", got)
	}
}

func TestLoadExposure(t *testing.T) {
	for text, want := range map[string]string{"": "", "exposure: ./exposure.yaml\n": "not_found"} {
		c, err := load(t, "version: 1\n"+text)
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.LoadExposure()
		if got := strings.Join(codes(t, err), " "); got != want || err == nil && len(x.Items) != 0 {
			t.Errorf("%q: %v, %v", text, x, err)
		}
		if problems := (gateway.Problems{}); errors.As(err, &problems) {
			if p := problems[0]; p.Pos.Line != 2 || p.Pos.Col != 11 || !strings.Contains(p.Message, "`tools approve`") || !strings.Contains(p.Excerpt, "exposure: ./") {
				t.Errorf("%+v does not say where and what to do", p)
			}
		}
	}
}

// TestSchemaIsPublished holds the published schema to the description.
func TestSchemaIsPublished(t *testing.T) {
	const published = "../docs/upstreams.schema.json"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(published, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(Schema()) {
		t.Errorf("%s is not what `config schema` prints; write it anew with UPDATE_GOLDEN=1 go test ./config", published)
	}
}

var plainScope = regexp.MustCompile(`(service|incident):(read|create:p3)`)

// TestSchemaJudges holds that the schema accepts what Load accepts, and refuses
// what is wrong in shape.
func TestSchemaJudges(t *testing.T) {
	compiled, err := schema.Compile(Schema(), schema.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	designed, err := os.ReadFile("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../examples/incident/upstreams.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		string(designed):                        true,
		string(example):                         true,
		"version: 2":                            false,
		"version: 1\nlistne: {}":                false,
		"version: 1\nupstreams: {A: {}}":        false,
		"version: 1\nlimits: {body: 4 MB}":      false,
		"version: 1\nauth: {issuers: [{}]}":     false,
		"version: 1\naudit: {subjects: nobody}": false,
	} {
		// The library itself splits plain scalars at colons within braces.
		value, err := yaml.YAMLToJSON([]byte(plainScope.ReplaceAllString(text, `"$0"`)))
		if err != nil {
			t.Fatal(err)
		}
		violations, err := compiled.Check(value)
		if err != nil || (len(violations) == 0) != want {
			t.Errorf("%s\n%v, %v", text, violations, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	text, err := os.ReadFile("testdata/designed.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	for _, s := range []string{"", "version: 1", "version: 1\nupstreams: {a: {http: {url: x}}}", "upstreams:\n a:\n  stdio: {command: [sh, -c]}", "auth: {api_keys: [{}]}", "listen: {mcp: \"[::1\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := load(t, text)
		var problems gateway.Problems
		switch {
		case err == nil && c == nil:
			t.Fatal("neither a Config nor an error")
		case err != nil && (!errors.As(err, &problems) || len(problems) == 0):
			t.Fatalf("%T: %v", err, err)
		}
	})
}

// A secret that an upstream lacks keeps that upstream down and nothing else; one that
// anything else lacks, or another fault, refuses the whole.
func TestASecretThatAnUpstreamLacks(t *testing.T) {
	t.Setenv("CONFIG_TEST_YES", "value")
	const two = `upstreams:
  bare: {http: {url: "https://a.example/mcp", credential: {bearer: "env:CONFIG_TEST_YES"}}}
  lacks:
    stdio: {command: [server], env: {KEY: "env:CONFIG_TEST_NO", OTHER: "env:CONFIG_TEST_YES"}}
`
	c, err := Load(write(t, "upstreams.yaml", "version: 1\n"+two))
	if err != nil {
		t.Fatal(err)
	}
	missing := c.Upstreams["lacks"].Missing
	if len(missing) != 1 || missing[0].Code != "secret_missing" || missing[0].Pos.Line != 5 || !strings.Contains(missing[0].Message, "CONFIG_TEST_NO") {
		t.Errorf("lacks: %v", missing)
	}
	if other := c.Upstreams["bare"].Missing; other != nil {
		t.Errorf("bare: %v", other)
	}
	for name, more := range map[string]string{
		"policy, below":   "policy: {bundle: {url: \"https://b.example/p\", key: \"file:absent\"}}\n",
		"another mistake": "limits: {body: much}\n",
	} {
		var problems gateway.Problems
		_, err := Load(write(t, "upstreams.yaml", "version: 1\n"+two+more))
		if !errors.As(err, &problems) || len(problems) != 2 || problems[0].Code != "secret_missing" || problems[0].Pos.Line != 5 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The level of the log is one of four words, info where none stands.
func TestLogLevel(t *testing.T) {
	for text, want := range map[string]logs.Level{"": logs.Info, "log: {level: debug}\n": logs.Debug, "log: {level: loud}\n": ""} {
		c, err := load(t, "version: 1\n"+text)
		if (err != nil) != (want == "") || err == nil && c.Log.Level() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
