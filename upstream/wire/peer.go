package wire

import (
	"errors"
	"fmt"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Era is which of the two families of revisions a server speaks.
type Era string

// The eras.
const (
	Modern Era = "modern" // stateless, from 2026-07-28 on
	Legacy Era = "legacy" // initialised, before it
)

// Peer is what an upstream said of itself when it was met. The claims are
// shown and never trusted.
type Peer struct {
	Era            Era
	Revision       string
	Capabilities   []byte // an object as sent; nil if none
	Instructions   []byte // a JSON string as sent; nil if none
	ClaimedName    string
	ClaimedVersion string
	Confined       string // not of its saying: what its process is kept from; "" over HTTP
}

// Alike reports whether two introductions say the same of what a server speaks, offers
// and tells models. What it calls itself proves nothing and is no part of it.
func (p *Peer) Alike(q *Peer) bool {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && (a == nil || protocol.Equal(a, b)) }
	return p.Era == q.Era && p.Revision == q.Revision && same(p.Capabilities, q.Capabilities) && same(p.Instructions, q.Instructions)
}

// Declares reports whether the capability that a JSON Pointer names is there:
// an object, or true.
func (p *Peer) Declares(pointer string) bool {
	value, _ := protocol.Lookup(p.Capabilities, pointer)
	kind := protocol.Kind(value)
	return kind == '{' || kind == 't'
}

// Announces reports whether the server may tell of changes by itself.
func (p *Peer) Announces() bool {
	return p.Declares("/tools/listChanged") || p.Declares("/prompts/listChanged") ||
		p.Declares("/resources/listChanged") || p.Declares("/resources/subscribe")
}

// modernRevisions are those of the modern era that we speak, newest first.
func modernRevisions() []string {
	return slices.DeleteFunc(protocol.Revisions(), func(r string) bool { return !protocol.IsModern(r) })
}

// Discovered reads a result of server/discover. A server that lists no modern
// revision of ours gives a Peer with Era Legacy and no revision: it is to be
// initialised.
func Discovered(result []byte) (Peer, error) {
	list, ok := protocol.Member(result, "supportedVersions")
	if !ok || protocol.Kind(list) != '[' {
		return Peer{}, malformed("server/discover: no supportedVersions")
	}
	p := Peer{Era: Legacy}
	if rev := protocol.HighestCommon(modernRevisions(), texts(list)); rev != "" {
		p.Era, p.Revision = Modern, rev
	}
	meta, _ := protocol.Member(result, "_meta")
	info, _ := protocol.Member(meta, protocol.MetaServerInfo)
	p.describe(result, info)
	return p, nil
}

// Initialised reads a result of initialize: any revision of the legacy era that
// we know will do, if the terms allow it.
func Initialised(result []byte, terms Terms) (Peer, error) {
	value, _ := protocol.Member(result, "protocolVersion")
	rev, _ := protocol.Text(value)
	switch {
	case !protocol.IsKnown(rev) || protocol.IsModern(rev):
		return Peer{}, gateway.Because(gateway.CodeUnavailable,
			fmt.Errorf("initialize answered with revision %.32q", rev), ReasonRevision)
	}
	if err := terms.Revision(rev); err != nil {
		return Peer{}, err
	}
	p := Peer{Era: Legacy, Revision: rev}
	info, _ := protocol.Member(result, "serverInfo")
	p.describe(result, info)
	return p, nil
}

// describe fills in what both introductions have in common.
func (p *Peer) describe(result, info []byte) {
	if v, ok := protocol.Member(result, "instructions"); ok && protocol.Kind(v) == '"' {
		p.Instructions = slices.Clone(v)
	}
	value, _ := protocol.Member(info, "name")
	p.ClaimedName, _ = protocol.Text(value)
	value, _ = protocol.Member(info, "version")
	p.ClaimedVersion, _ = protocol.Text(value)
	if v, ok := protocol.Member(result, "capabilities"); ok && protocol.Kind(v) == '{' {
		p.Capabilities = slices.Clone(v)
	}
}

// Supported returns the revisions that an error -32022 names in its data.
func Supported(e *protocol.RPCError) []string {
	list, _ := protocol.Member(e.Data, "supported")
	return texts(list)
}

// Retry returns the modern revision with which to try once more after an error
// -32022, or "" if there is none in common. A server may well name the one that
// it just refused: it is then asked again, once.
func Retry(e *protocol.RPCError) string {
	return protocol.HighestCommon(modernRevisions(), Supported(e))
}

// IsModernError reports whether only a modern server answers with that code.
func IsModernError(code int64) bool {
	return code == protocol.RPCHeaderMismatch || code == protocol.RPCMissingCapability ||
		code == protocol.RPCUnsupportedVersion
}

// texts returns the strings of an array of them.
func texts(list []byte) []string {
	var all []string
	for v := range protocol.Elements(list) {
		if s, ok := protocol.Text(v); ok {
			all = append(all, s)
		}
	}
	return all
}

func malformed(what string) *gateway.Error {
	return gateway.Because(gateway.CodeExecutionError, errors.New(what), gateway.ReasonMalformed)
}
