package secret_test

import (
	"testing"

	"mcp-gateway/redact/secret"
)

func FuzzMask(f *testing.F) {
	for _, s := range []string{"password=a1b2c3d4e5", "://u:p4ssword@h", "Bearer a1B2c3D4e5F6g7H8i9J0", "AKIAQ7ZZZZZZZZZZZZ2A",
		"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN"} {
		f.Add([]byte(s))
	}
	sc := secret.New(secret.Options{Email: true, Phone: true})
	f.Fuzz(func(t *testing.T, s []byte) {
		hits := 0
		once, changed := sc.Mask(nil, s, func(string) { hits++ })
		if changed != (hits > 0) || changed && !sc.May(s) {
			t.Fatalf("%q: changed %v after %d hits", s, changed, hits)
		}
		if twice, again := sc.Mask(nil, once, func(string) {}); again {
			t.Fatalf("%q becomes %q, and then %q", s, once, twice)
		}
	})
}
