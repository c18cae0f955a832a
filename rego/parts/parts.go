package parts

import (
	"crypto/sha256"
	"encoding/binary"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/reads"
)

// Parts are those of a principal.
type Parts struct{ id, issuer, tenant, client, method, scopes, groups bool }

// Of returns what a policy reads of its subject.
func Of(r reads.Reads) Parts {
	at := func(name string) bool { return r.Any("subject.properties." + name) }
	return Parts{
		id: r.Any("subject.id"), issuer: at("issuer"), tenant: at("tenant"), client: at("client"),
		method: at("auth_method"), scopes: at("scopes"), groups: at("groups"),
	}
}

// All is everything that a policy is told.
func All() Parts {
	return Parts{id: true, issuer: true, tenant: true, client: true, method: true, scopes: true, groups: true}
}

// Digest is over those parts, each with its length, so that no two read alike.
func (s Parts) Digest(p *gateway.Principal) [sha256.Size]byte {
	buf := make([]byte, 0, 512)
	add := func(read bool, texts ...string) {
		if !read {
			texts = nil
		}
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(texts)))
		for _, t := range texts {
			buf = append(binary.BigEndian.AppendUint32(buf, uint32(len(t))), t...)
		}
	}
	add(s.id, p.Subject)
	add(s.issuer, p.Issuer)
	add(s.tenant, p.Tenant)
	add(s.client, p.Client)
	add(s.method, string(p.Method))
	add(s.scopes, p.Scopes...)
	add(s.groups, p.Groups...)
	return sha256.Sum256(buf)
}
