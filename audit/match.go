package audit

import (
	"crypto/hmac"
	"encoding/hex"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Where a value stands in an event, as Contains says it.
const (
	InArgs      = "args"
	InName      = "tool_ref"
	InPrincipal = "principal"
	InSource    = "source"
)

// Contains says where in an event a value stands as a keyed digest: as the whole
// arguments of the call, canonical, or as a name, an identity or an address. ""
// means nowhere. Digests of a call are bound to who called, by gateway.Principal.ID,
// and to which tool; the event's own key is used, also one that was rotated.
func (k *Keys) Contains(e *Event, principal string, tool gateway.ItemID, value []byte) string {
	who, up, name := []byte(principal), []byte(tool.Upstream), []byte(tool.Name)
	for _, c := range []struct {
		place string
		had   Keyed
		parts [][]byte
	}{
		{InArgs, e.Args, [][]byte{[]byte("args"), who, up, name, value}},
		{InName, e.ToolRef, [][]byte{[]byte("name"), who, value}},
		{InPrincipal, e.Principal, [][]byte{[]byte("principal"), value}},
		{InSource, e.Source, [][]byte{[]byte("source"), value}},
	} {
		id, digest, ok := strings.Cut(string(c.had), ":")
		if !ok {
			continue
		}
		sum, err := k.ring.MACBy(keyring.Audit, id, c.parts...)
		if want := hex.EncodeToString(sum[:]); err == nil && hmac.Equal([]byte(digest), []byte(want[:min(len(digest), len(want))])) {
			return c.place
		}
	}
	return ""
}
