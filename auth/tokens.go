package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/gateway"
)

// Why a token is refused, beside the causes of packages token and issuer. All are
// for the operator alone.
var (
	ErrIssuer    = errors.New("auth: the token names an issuer that is not trusted")
	ErrAlgorithm = errors.New("auth: the signature algorithm is not allowed")
	ErrOpaque    = errors.New("auth: an opaque token, and no issuer to ask about it")
	ErrTokenType = errors.New("auth: not a bearer token")
)

// keptVerdicts bounds what is remembered of tokens: some 600 bytes each, so 80 MB where
// as many principals call. Verifying a signature anew costs twenty times a look. What
// was refused is not remembered, so that nobody can crowd out who was let in.
const keptVerdicts = 128 << 10

// verdict is what is remembered of a token that is good, by its digest.
type verdict struct {
	principal *gateway.Principal
	audiences []string
	until     time.Time
	from      *trusted
	set       *issuer.Set // whose key verified it; nil = it was introspected
}

func newVerdicts() (*lru.Cache[[sha256.Size]byte, *verdict], error) {
	return lru.New[[sha256.Size]byte, *verdict](keptVerdicts)
}

// token identifies the sender of an access token. A token that was seen before
// costs one digest, as long as it holds and the key that verified it is still its
// issuer's.
func (a *Authenticator) token(ctx context.Context, raw, endpoint string) (*gateway.Principal, error) {
	if len(raw) > token.MaxLength {
		return nil, gateway.Because(gateway.CodeMalformedCredential, token.ErrTooLong)
	}
	digest := sha256.Sum256([]byte(raw))
	now := a.clock()
	v, ok := a.verdicts.Get(digest)
	if ok && now.Before(v.until) && (v.set == nil || v.set == v.from.keys.Current()) {
		return v.at(endpoint, a)
	}
	v, err := a.judge(ctx, raw, digest, now)
	if err != nil {
		a.verdicts.Remove(digest)
		return nil, refuse(err)
	}
	p, err := v.at(endpoint, a)
	if err == nil {
		a.verdicts.Add(digest, v)
	}
	return p, err
}

// at returns the principal where the endpoint is what the token is meant for.
func (v *verdict) at(endpoint string, a *Authenticator) (*gateway.Principal, error) {
	want, given := v.from.Audience[endpoint]
	if given && slices.Contains(v.audiences, want) {
		return v.principal, nil
	}
	if !given {
		for _, audience := range v.audiences {
			if rest, ok := strings.CutPrefix(audience, a.url); ok && isPathOf(rest, endpoint) {
				return v.principal, nil
			}
		}
	}
	return nil, refuse(token.ErrAudience)
}

// isPathOf is path == pathOf(endpoint), without making it.
func isPathOf(path, endpoint string) bool {
	rest, ok := strings.CutPrefix(path, EndpointPath)
	if endpoint == "" || !ok {
		return ok && rest == ""
	}
	return strings.HasPrefix(rest, "/") && rest[1:] == endpoint
}

// judge verifies a token that is not remembered.
func (a *Authenticator) judge(ctx context.Context, raw string, digest [sha256.Size]byte, now time.Time) (*verdict, error) {
	t, err := token.Parse(raw)
	if errors.Is(err, token.ErrNotJWT) {
		if a.opaque == nil {
			return nil, ErrOpaque
		}
		return a.opaque.ask(ctx, raw, digest, now)
	}
	if err != nil {
		return nil, err
	}
	from := a.issuers[t.Claims.Issuer()]
	if from == nil {
		return nil, ErrIssuer
	}
	return from.verify(ctx, raw, digest, t, now)
}

// verify judges a JWT of this issuer: first its signature, by an algorithm that is
// allowed and a key of the issuer; only then what it says.
func (t *trusted) verify(ctx context.Context, raw string, digest [sha256.Size]byte, tok *token.Token, now time.Time) (*verdict, error) {
	if !slices.Contains(t.Algorithms, tok.Algorithm) {
		return nil, ErrAlgorithm
	}
	v := &verdict{from: t}
	var err error
	if v.set, err = t.keys.Verify(ctx, raw, tok.Algorithm, tok.KeyID); err != nil {
		return nil, err
	}
	if err := tok.Claims.Bearer(); err != nil {
		return nil, err
	}
	if v.until, err = tok.Claims.Times(now, t.Skew); err != nil {
		return nil, err
	}
	if v.audiences, err = tok.Claims.Audiences(); err != nil {
		return nil, err
	}
	if v.principal, err = t.principal(tok.Claims); err != nil {
		return nil, err
	}
	if t.introspect == nil || !t.Introspect.All {
		return v, nil
	}
	if _, err = t.introspect.Ask(ctx, raw, digest); err != nil {
		return nil, err
	}
	v.until = earlier(v.until, now.Add(t.Introspect.Cache))
	return v, nil
}

// ask judges an opaque token by what its issuer says of it. The answer must say
// for whom the token is meant, as a JWT must.
func (t *trusted) ask(ctx context.Context, raw string, digest [sha256.Size]byte, now time.Time) (*verdict, error) {
	body, err := t.introspect.Ask(ctx, raw, digest)
	if err != nil {
		return nil, err
	}
	said := token.Claims{Raw: body}
	if iss := said.Issuer(); iss != "" && iss != t.URL {
		return nil, ErrIssuer
	}
	if kind := said.Type(); kind != "" && !strings.EqualFold(kind, "Bearer") {
		return nil, ErrTokenType
	}
	v := &verdict{from: t}
	if err := said.Bearer(); err != nil {
		return nil, err
	}
	until, err := said.Times(now, t.Skew)
	switch {
	case errors.Is(err, token.ErrNoExpiry):
		until = now.Add(t.Introspect.Cache)
	case err != nil:
		return nil, err
	}
	v.until = earlier(until, now.Add(t.Introspect.Cache))
	if v.audiences, err = said.Audiences(); err != nil {
		return nil, err
	}
	v.principal, err = t.principal(said)
	return v, err
}

// Presented returns the token by which a principal was identified, for exchange;
// the zero value if it came by other means. It goes to no upstream as it is.
func Presented(p *gateway.Principal, h http.Header) gateway.Bearer {
	values := h["Authorization"]
	if p.Method != gateway.AuthOAuth || len(values) != 1 {
		return gateway.Bearer{}
	}
	token, _ := bearer(values[0])
	return gateway.NewBearer(token)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
