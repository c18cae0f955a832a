package issuer

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

// client reaches this machine, as that of a configured issuer on it does.
func client() *http.Client {
	return egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}})
}

// TestDiscover holds where metadata are looked for, and whose are believed.
func TestDiscover(t *testing.T) {
	const oauth, oidc = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	type answers map[string]string // by path; %s is the issuer
	for name, tt := range map[string]struct {
		path    string
		answers answers
		want    error
	}{
		"RFC 8414":                 {"", answers{oauth: `{"issuer":%q}`}, nil},
		"OpenID":                   {"", answers{oidc: `{"issuer":%q}`}, nil},
		"RFC 8414 with a path":     {"/a", answers{oauth + "/a": `{"issuer":%q}`}, nil},
		"OpenID before the path":   {"/a", answers{oidc + "/a": `{"issuer":%q}`}, nil},
		"OpenID after the path":    {"/a", answers{"/a" + oidc: `{"issuer":%q}`}, nil},
		"another issuer":           {"", answers{oauth: `{"issuer":"https://evil.example","x":%q}`}, ErrIssuer},
		"of another path":          {"/a", answers{oauth: `{"issuer":%q}`}, &StatusError{Status: 404}},
		"an endpoint without TLS":  {"", answers{oauth: `{"issuer":%q,"jwks_uri":"http://id.example/keys"}`}, ErrEndpoint},
		"an endpoint with a user":  {"", answers{oauth: `{"issuer":%q,"token_endpoint":"https://a:b@id.example/"}`}, ErrEndpoint},
		"duplicate names":          {"", answers{oauth: `{"issuer":%q,"issuer":"x"}`}, ErrAnswer},
		"a page":                   {"", answers{oauth: `<html>%s</html>`}, ErrAnswer},
		"a redirect, not followed": {"", answers{oauth: "redirect"}, &StatusError{Status: 404}},
	} {
		t.Run(name, func(t *testing.T) {
			var issuer string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, ok := tt.answers[r.URL.Path]
				switch {
				case !ok:
					http.NotFound(w, r)
				case text == "redirect":
					http.Redirect(w, r, "/elsewhere", http.StatusFound)
				default:
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, text, issuer)
				}
			}))
			defer s.Close()
			issuer = s.URL + tt.path
			m, err := Discover(t.Context(), client(), issuer)
			var status, want *StatusError
			if errors.As(tt.want, &want) {
				if !errors.As(err, &status) {
					t.Fatalf("%v", err)
				}
				return
			}
			if !errors.Is(err, tt.want) || (err == nil) != (m != nil) {
				t.Errorf("%+v %v, want %v", m, err, tt.want)
			}
		})
	}
}

// TestGuarded holds that metadata can't turn the gateway against its own network.
func TestGuarded(t *testing.T) {
	inside := httptest.NewServer(http.NotFoundHandler())
	defer inside.Close()
	var issuer string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, issuer, "https://[::1]:1/keys")
	}))
	defer s.Close()
	issuer = s.URL
	k := NewKeys(issuer, "", client(), time.Now)
	_, err := k.Verify(t.Context(), "a.b.c", "ES256", "k")
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeIssuerUnavailable || !errors.Is(err, egress.ErrAddress) {
		t.Errorf("%v", err)
	}
}

// TestReadSet holds which keys are of use.
func TestReadSet(t *testing.T) {
	public := func(key any, members string) string {
		k, err := jwk.PublicKeyOf(key)
		if err != nil {
			t.Fatal(err)
		}
		raw := strings.Builder{}
		fmt.Fprintf(&raw, "{")
		for _, name := range k.Keys() {
			var v any
			_ = k.Get(name, &v)
			switch v := v.(type) {
			case []byte:
				fmt.Fprintf(&raw, "%q:%q,", name, encode(v))
			default:
				fmt.Fprintf(&raw, "%q:%q,", name, fmt.Sprint(v))
			}
		}
		return raw.String() + members + "}"
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		key, alg string
		want     error
	}{
		"EC":                         {public(ec, `"kid":"k"`), "ES256", nil},
		"RSA":                        {public(big, `"kid":"k","use":"sig"`), "PS512", nil},
		"RSA of another algorithm":   {public(big, `"kid":"k","alg":"RS256"`), "RS512", ErrKeyUse},
		"for encryption":             {public(big, `"kid":"k","use":"enc"`), "RS256", ErrUnknownKey},
		"of another curve":           {public(ec, `"kid":"k"`), "ES384", ErrKeyUse},
		"RSA where EC is wanted":     {public(big, `"kid":"k"`), "ES256", ErrKeyUse},
		"a shared secret":            {`{"kty":"oct","k":"c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0","kid":"k"}`, "HS256", ErrUnknownKey},
		"a short RSA key":            {`{"kty":"RSA","n":"` + strings.Repeat("A", 170) + `w","e":"AQAB","kid":"k"}`, "RS256", ErrUnknownKey},
		"no key":                     {`{"kid":"k"}`, "RS256", ErrUnknownKey},
		"another id":                 {public(ec, `"kid":"other"`), "ES256", ErrUnknownKey},
		"no id, though one is meant": {public(ec, `"use":"sig"`), "ES256", ErrUnknownKey},
	} {
		set, err := readSet([]byte(`{"keys":[` + tt.key + `]}`))
		if err == nil {
			_, err = set.find(tt.alg, "k")
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	for name, raw := range map[string]string{
		"no list": `{"keys":{}}`, "no keys": `{}`, "too many": `{"keys":[` + strings.Repeat(`{"kty":"oct"},`, 65) + `{}]}`,
	} {
		if _, err := readSet([]byte(raw)); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClientAuthentication holds how each way travels, and that a key that can't
// sign is found out.
func TestClientAuthentication(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	form, header := url.Values{}, http.Header{}
	c := Client{ID: "a b", Method: Basic, Secret: "s:%"}
	if err := c.sign("", form, header); err != nil || header.Get("Authorization") != "Basic YStiOnMlM0ElMjU=" || len(form) != 0 {
		t.Errorf("basic: %v %v %v", header, form, err)
	}
	c = Client{ID: "gw", Method: PrivateKeyJWT, Key: text, Alg: "ES256", KeyID: "k1"}
	form, header = url.Values{}, http.Header{}
	if err := c.sign("https://id.example/token", form, header); err != nil {
		t.Fatal(err)
	}
	claims, err := jwt.Parse([]byte(form.Get("client_assertion")), jwt.WithVerify(false), jwt.WithValidate(true))
	if err != nil {
		t.Fatal(err)
	}
	audience, _ := claims.Audience()
	if subject, _ := claims.Subject(); subject != "gw" || fmt.Sprint(audience) != "[https://id.example/token]" {
		t.Errorf("assertion of %s for %v", subject, audience)
	}
	for name, c := range map[string]Client{
		"no key":            {Method: PrivateKeyJWT, Alg: "ES256"},
		"no private key":    {Method: PrivateKeyJWT, Alg: "ES256", Key: []byte("-----BEGIN")},
		"another algorithm": {Method: PrivateKeyJWT, Alg: "RS256", Key: text},
		"another curve":     {Method: PrivateKeyJWT, Alg: "ES384", Key: text},
		"a shared secret":   {Method: PrivateKeyJWT, Alg: "HS256", Key: []byte(`{"kty":"oct","k":"c2VjcmV0"}`)},
	} {
		if err := c.Check(); !errors.Is(err, ErrClientKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusals holds that of an authorization server's own words nothing but a
// known code is taken.
func TestRefusals(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"` + r.FormValue("say") + `","error_description":"canary-of-a-description"}`))
	}))
	defer s.Close()
	for say, want := range map[string]string{"invalid_grant": "invalid_grant", "canary-of-an-error": ""} {
		_, err := PostForm(context.Background(), client(), s.URL, url.Values{"say": {say}}, Client{Method: NoMethod})
		var status *StatusError
		if !errors.As(err, &status) || status.Code != want || strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s: %v", say, err)
		}
	}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
