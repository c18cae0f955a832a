package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jwt"
)

// issuer is an authorization server as far as a resource server asks it: its
// metadata and its keys.
type issuer struct{ key jwk.Key }

func newIssuer() (*issuer, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := jwk.Import(private)
	if err != nil {
		return nil, err
	}
	return &issuer{key}, key.Set(jwk.KeyIDKey, "bench")
}

// told is the key as text, for the parent that makes tokens.
func (i *issuer) told() (string, error) {
	raw, err := json.Marshal(i.key)
	return string(raw), err
}

// ServeHTTP serves the metadata (RFC 8414) and the keys (RFC 7517).
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/keys" {
		_, _ = fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://%[1]s/keys"}`, r.Host)
		return
	}
	public, err := i.key.PublicKey()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{public}})
}

// tokens makes one for each of n subjects, for an hour.
func tokens(key, at string, n int) ([]string, error) {
	signing, err := jwk.ParseKey([]byte(key))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all := make([]string, n)
	for i := range all {
		claims, err := jwt.NewBuilder().Issuer("http://"+at).Subject(fmt.Sprintf("caller-%06d", i)).
			Audience([]string{resource + "/mcp"}).IssuedAt(now).Expiration(now.Add(time.Hour)).Claim("scope", "bench:read").Build()
		if err != nil {
			return nil, err
		}
		raw, err := jwt.Sign(claims, jwt.WithKey(jwa.ES256(), signing))
		if err != nil {
			return nil, err
		}
		all[i] = string(raw)
	}
	return all, nil
}
