package pack_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"testing"
	"testing/fstest"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"
)

func keyPair(t testing.TB) (private, public []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := x509.MarshalPKCS8PrivateKey(key)
	b, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})
}

func folder(rule string) fstest.MapFS {
	return fstest.MapFS{
		"p.rego":      {Data: []byte("package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n" + rule + "\n")},
		"p_test.rego": {Data: []byte("package mcp.gateway_test\n\ntest_nothing if true\n")},
		"data.json":   {Data: []byte(`{"grants": {"alice": true}}`)},
	}
}

func TestSignedBundles(t *testing.T) {
	private, public := keyPair(t)
	_, other := keyPair(t)
	build := func(rule string, o pack.Build) []byte {
		raw, err := pack.Make(t.Context(), folder(rule), "policy", o)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	signed := build("allow if data.grants[input.subject.id]", pack.Build{Key: private, Label: "v7", Sequence: 7})
	unsigned := build("allow if true", pack.Build{Sequence: 7})
	b, err := pack.Read(t.Context(), "b.tar.gz", signed, pack.Trust{Key: public, After: 7})
	if err != nil {
		t.Fatal(err)
	}
	if b.Label != "v7" || b.Sequence != 7 || len(b.Revision) != 71 {
		t.Errorf("%q %d %q", b.Label, b.Sequence, b.Revision)
	}
	if _, err := pack.Read(t.Context(), "b.tar.gz", unsigned, pack.Trust{Unsigned: true}); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		raw   []byte
		trust pack.Trust
		code  string
	}{
		"unsigned":         {unsigned, pack.Trust{Key: public}, pack.CodeUnsigned},
		"no key":           {signed, pack.Trust{}, pack.CodeUnsigned},
		"a key of no kind": {signed, pack.Trust{Key: []byte("x")}, pack.CodeUnsigned},
		"another key":      {signed, pack.Trust{Key: other}, pack.CodeTampered},
		"truncated":        {signed[:len(signed)/2], pack.Trust{Key: public}, pack.CodeUnreadable},
		"nothing":          {nil, pack.Trust{Key: public}, pack.CodeUnreadable},
		"no archive":       {[]byte("hello"), pack.Trust{Unsigned: true}, pack.CodeUnreadable},
		"rolled back":      {signed, pack.Trust{Key: public, After: 8}, pack.CodeRolledBack},
	} {
		_, err := pack.Read(t.Context(), "b.tar.gz", c.raw, c.trust)
		var ps gateway.Problems
		if !errors.As(err, &ps) || len(ps) != 1 || ps[0].Code != c.code || ps[0].Pos.File != "b.tar.gz" {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// What does not pass the checks of a folder is not packed, and does not come in
// by a bundle either.
func TestBundlesAreChecked(t *testing.T) {
	_, err := pack.Make(t.Context(), folder("allow if input.subject.tennant == \"a\""), "policy", pack.Build{})
	var ps gateway.Problems
	if !errors.As(err, &ps) {
		t.Errorf("packed: %v", err)
	}
	raw, err := pack.Make(context.Background(), folder("allow if true"), "policy", pack.Build{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := pack.Make(context.Background(), folder("allow if true"), "policy", pack.Build{})
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("two builds of one policy differ (%v)", err)
	}
}

// FuzzRead holds that whatever bytes come as a bundle make a policy or problems of
// its own, and that nothing of theirs is taken for signed.
func FuzzRead(f *testing.F) {
	raw, err := pack.Make(f.Context(), folder("allow if true"), "policy", pack.Build{Sequence: 3})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{raw, raw[:len(raw)-4], raw[:40], {}, []byte("\x1f\x8b\x08"), []byte("hello")} {
		f.Add(seed)
	}
	_, public := keyPair(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := pack.Read(t.Context(), "b", raw, pack.Trust{Unsigned: true})
		var ps gateway.Problems
		if (b == nil) == (err == nil) || err != nil && !errors.As(err, &ps) {
			t.Errorf("%v %v", b, err)
		}
		if b, err := pack.Read(t.Context(), "b", raw, pack.Trust{Key: public}); b != nil || !errors.As(err, &ps) {
			t.Errorf("taken without a signature: %v", err)
		}
	})
}
