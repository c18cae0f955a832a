package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"mcp-gateway/gateway"
)

// Binding is the very call that a ticket is for: who calls, what, as which
// definition, with which arguments.
type Binding struct {
	Issuer, Subject, Tenant, Client string
	Upstream, Tool                  string
	Definition                      gateway.Digest
	Arguments                       gateway.Digest // of their canonical form
}

// members are the binding's parts with the word by which a difference is named.
func (b *Binding) members() [8][2]string {
	return [...][2]string{
		{"issuer", b.Issuer}, {"subject", b.Subject}, {"tenant", b.Tenant}, {"client", b.Client},
		{"upstream", b.Upstream}, {"tool", b.Tool}, {"definition", string(b.Definition)}, {"arguments", string(b.Arguments)},
	}
}

// Differs returns why a call is not the one that the ticket is for, such as
// "approval_arguments_differ"; "" if it is.
func (b *Binding) Differs(call *Binding) gateway.Reason {
	theirs := call.members()
	for i, m := range b.members() {
		if m[1] != theirs[i][1] {
			return gateway.Reason("approval_" + m[0] + "_differs")
		}
	}
	return ""
}

// Digest names the binding: two are equal exactly if their digests are.
func (b *Binding) Digest() string {
	var framed []byte
	for _, m := range b.members() {
		framed = binary.BigEndian.AppendUint32(framed, uint32(len(m[1])))
		framed = append(framed, m[1]...)
	}
	sum := sha256.Sum256(framed)
	return hex.EncodeToString(sum[:])
}

// Scope is the binding whatever the arguments: what a remembered consent is for.
func (b *Binding) Scope() Binding {
	s := *b
	s.Arguments = ""
	return s
}
