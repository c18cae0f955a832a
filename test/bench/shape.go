package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/rego/policy"
)

// shape is how large a gateway is, and what it may keep.
type shape struct {
	Upstreams int  // HTTP upstreams with the echo server's tools, one at least
	Tools     int  // of the catalog
	Issuer    bool // callers come with tokens of the upstream role's issuer too
	Fresh     bool // policy reads the time, so that no decision can be kept
}

// usual is the shape of the tables.
func usual() shape { return shape{Upstreams: 1, Tools: catalogSize} }

// resource is where callers with tokens believe the gateway to be.
const resource = "https://bench.example"

// servers names the upstreams of a shape: their ids, and where each is.
func (s shape) servers() (ids []string, path map[string]string) {
	path = map[string]string{catalogServer: fmt.Sprintf("/%s/%d", catalogServer, s.Tools)}
	for i := range s.Upstreams {
		id := echoServer
		if i > 0 {
			id = fmt.Sprintf("%s-%d", echoServer, i+1)
		}
		ids, path[id] = append(ids, id), "/"+echoServer
	}
	return append(ids, catalogServer), path
}

// configuration is upstreams.yaml.
func (s shape) configuration(keySum, upstream string) string {
	var out strings.Builder
	out.WriteString("version: 1\nlisten: {mcp: \"127.0.0.1:0\"" + when(s.Issuer, ", url: \""+resource+"\"") + "}\n" +
		"state: {dir: ./var}\nexposure: ./exposure.yaml\n" +
		// On a crowded machine a process may wait longer than the usual time for its turn.
		"limits: {item: 8MiB}\npolicy: {timeout: 1s" + when(s.Fresh, ", dir: ./policy") + "}\nauth:\n  api_keys:\n")
	fmt.Fprintf(&out, "    - {id: bench, sha256: %q, subject: bench, tenant: platform, scopes: [bench:read, service:read, incident:read]}\n", keySum)
	out.WriteString(when(s.Issuer, "  issuers: [{issuer: \"http://"+upstream+"\"}]\n") + "upstreams:\n")
	ids, path := s.servers()
	for _, id := range ids {
		fmt.Fprintf(&out, "  %s: {http: {url: \"http://%s%s\"}}\n", id, upstream, path[id])
	}
	return out.String()
}

func when(so bool, text string) string {
	if so {
		return text
	}
	return ""
}

// harmless is the rule of the shipped policy that a read comes to, and untimely
// the same rule with a fact on which no decision can be kept.
const (
	harmless = "harmless if input.resource.properties.side_effect == \"read\"\n"
	untimely = "harmless if {\n\tinput.resource.properties.side_effect == \"read\"\n\tstartswith(input.context.time, \"2\")\n}\n"
)

// writePolicy writes the shipped policy, with one condition more.
func writePolicy(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return fs.WalkDir(policy.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.rego") {
			return err
		}
		text, err := fs.ReadFile(policy.Files(), path)
		if err != nil {
			return err
		}
		changed := strings.Replace(string(text), harmless, untimely, 1)
		if path == "gateway.rego" && changed == string(text) {
			return fmt.Errorf("the shipped policy has no rule %q", harmless)
		}
		return os.WriteFile(filepath.Join(dir, path), []byte(changed), 0o600)
	})
}
