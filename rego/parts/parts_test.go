package parts

import (
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/reads"
)

// Who differs in any part differs in all of them together, and in nothing that a
// policy reads where it reads nothing.
func TestDigest(t *testing.T) {
	others := map[string]gateway.Principal{
		"nobody":          {},
		"a subject":       {Subject: "a"},
		"an issuer":       {Issuer: "a"},
		"a tenant":        {Tenant: "a"},
		"a client":        {Client: "a"},
		"a method":        {Method: "a"},
		"a scope":         {Scopes: []string{"a"}},
		"two scopes":      {Scopes: []string{"a", "b"}},
		"one long scope":  {Scopes: []string{"ab"}},
		"a group":         {Groups: []string{"a"}},
		"scope and group": {Scopes: []string{"a"}, Groups: []string{"b"}},
	}
	seen := map[[32]byte]string{}
	none := Of(reads.Reads{}).Digest(&gateway.Principal{})
	for name, p := range others {
		d := All().Digest(&p)
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s are the same", name, other)
		}
		seen[d] = name
		if Of(reads.Reads{}).Digest(&p) != none {
			t.Errorf("%s matters to a policy that reads nothing", name)
		}
	}
}
