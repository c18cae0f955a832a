package fidelity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// scene is one host before a gateway and one upstream behind it.
type scene struct {
	t        *testing.T
	name     string
	s        *stage.Stage
	host     *host
	up       *upstream
	*schemas // of the era that makes what is sent

	counts map[string]*count
}

// count is how many instances of a type were sent, and how many came as they must.
type count struct{ sent, equal int }

// What the upstream offers beside generated definitions.
const (
	tool     = `{"name":"any","inputSchema":{"type":"object"}}`
	prompt   = `{"name":"any","arguments":[{"name":"one"},{"name":"zwei"},{"name":"三"},{"name":"d"}]}`
	template = `{"uriTemplate":"desk://notes/{+at}","name":"notes"}`
)

func openStage(t *testing.T, up *upstream, uncleaned bool) *stage.Stage {
	t.Helper()
	up.list(protocol.MethodToolsList, tool)
	up.list(protocol.MethodPromptsList, prompt)
	up.list(protocol.MethodResourceTemplatesList, template)
	served := stage.Served(t, "up", up).With("relay: [elicitation, sampling, roots]")
	if uncleaned {
		served = served.With("unsafe_uncleaned: true")
	} else {
		served = served.With("content: {link_schemes: [file, data, desk, urn, list, test, a], link_hosts: [example.test]}")
	}
	return stage.Open(t, stage.Options{
		Settings:  "limits: {depth: 400}\n",
		Upstreams: []stage.Upstream{served},
		Review:    func(gateway.ItemID) string { return stage.Read("use") },
	})
}

// canonical is the form in which things are compared: the order of members, white
// space and escapes do not matter, the spelling of numbers does.
func canonical(raw string) string { return string(protocol.AppendCanonical(nil, []byte(raw))) }

// compare holds that something came as it must, and counts it.
func (c *scene) compare(kind, sent, got, want string) {
	c.t.Helper()
	n := c.counts[kind]
	if n == nil {
		n = &count{}
		c.counts[kind] = n
	}
	n.sent++
	if protocol.Kind([]byte(got)) != 0 && canonical(got) == canonical(want) {
		n.equal++
		return
	}
	if n.sent-n.equal <= 3 {
		c.t.Errorf("%s, %s\nsent %.2000s\ngot  %.2000s\nwant %.2000s", c.name, kind, sent, got, want)
	}
}

// report prints the counts of a scene and returns them.
func (c *scene) report() (sent, equal int) {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[kind]
		fmt.Fprintf(&b, "\n  %-42s %5d sent %5d equal", kind, n.sent, n.equal)
		sent, equal = sent+n.sent, equal+n.equal
	}
	c.t.Logf("%s: %d sent, %d equal%s", c.name, sent, equal, b.String())
	return sent, equal
}

const serverInfo = `{"name":"mcp-gateway","version":"` + stage.Version + `"}`

// hop is a result as it must reach the host: resultType and the reserved keys of
// _meta are this hop's (docs/presentation.md).
func (c *scene) hop(result object, kind string) object {
	var meta object
	for _, f := range parse([]byte(result.get("_meta"))) {
		if !strings.HasPrefix(f.name, "io.modelcontextprotocol/") {
			meta = append(meta, f)
		}
	}
	out := result.without("resultType", "_meta")
	if c.host.modern {
		out = out.with("resultType", quote(kind))
		meta = meta.with(protocol.MetaServerInfo, serverInfo)
	}
	if len(meta) > 0 {
		out = out.with("_meta", meta.String())
	}
	return out
}

// own makes an instance what the upstream's era requires of a result.
func (c *scene) own(result object) object {
	if c.up.modern {
		return result.with("resultType", `"complete"`)
	}
	return result.without("resultType")
}
