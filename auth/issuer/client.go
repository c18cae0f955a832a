package issuer

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
)

// Method is a way of client authentication.
type Method string

// The ways (RFC 6749 section 2.3.1; RFC 7523 section 2.2). None is for a server
// that knows the gateway by other means.
const (
	Basic         Method = "client_secret_basic"
	Post          Method = "client_secret_post"
	PrivateKeyJWT Method = "private_key_jwt"
	NoMethod      Method = "none"
)

// Client is who the gateway is to an authorization server.
type Client struct {
	ID       string
	Method   Method
	Secret   string // of Basic and Post
	Key      []byte // of PrivateKeyJWT: a private key as PEM or JWK
	KeyID    string // of PrivateKeyJWT: header kid; "" = none, or the JWK's own
	Alg      string // of PrivateKeyJWT, one of Algorithms
	Audience string // of PrivateKeyJWT: claim aud; "" = the endpoint's URL
	Now      func() time.Time
}

// ErrClientKey says that a client's private key can't be used.
var ErrClientKey = errors.New("issuer: the client's private key can't be used with its algorithm")

// assertionLife is how long a client assertion is good for.
const assertionLife = time.Minute

// sign adds the client's authentication to a request.
func (c *Client) sign(endpoint string, form url.Values, header http.Header) error {
	switch c.Method {
	case Basic:
		pair := url.QueryEscape(c.ID) + ":" + url.QueryEscape(c.Secret)
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	case Post:
		form.Set("client_id", c.ID)
		form.Set("client_secret", c.Secret)
	case PrivateKeyJWT:
		assertion, err := c.assertion(endpoint)
		if err != nil {
			return err
		}
		form.Set("client_id", c.ID)
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	default:
		form.Set("client_id", c.ID)
	}
	return nil
}

// Check says whether the client can authenticate at all.
func (c *Client) Check() error {
	if c.Method != PrivateKeyJWT {
		return nil
	}
	_, err := c.assertion("https://check.invalid")
	return err
}

// assertion signs a JWT by which the client proves who it is.
func (c *Client) assertion(endpoint string) (string, error) {
	key, err := c.parse()
	if err != nil {
		return "", ErrClientKey
	}
	if c.KeyID != "" {
		if err := key.Set(jwk.KeyIDKey, c.KeyID); err != nil {
			return "", ErrClientKey
		}
	}
	alg, ok := jwa.LookupSignatureAlgorithm(c.Alg)
	if !ok || !slices.Contains(Algorithms(), c.Alg) {
		return "", ErrClientKey
	}
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	at, audience := now(), c.Audience
	if audience == "" {
		audience = endpoint
	}
	claims, err := json.Marshal(map[string]any{
		"iss": c.ID, "sub": c.ID, "aud": audience, "jti": rand.Text(),
		"iat": at.Unix(), "exp": at.Add(assertionLife).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed, err := jws.Sign(claims, jws.WithKey(alg, key), jws.WithStrictECDSA(true))
	if err != nil {
		return "", ErrClientKey // the cause may speak of the key
	}
	return string(signed), nil
}

func (c *Client) parse() (jwk.Key, error) {
	if key, err := jwk.ParseKey(c.Key); err == nil {
		return key, nil
	}
	return jwk.ParseKey(c.Key, jwk.WithPEM(true))
}
