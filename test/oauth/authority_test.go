package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"mcp-gateway/protocol"
)

// authority is a real OpenID provider with an example's storage, changed in what
// a resource server needs: tokens that are JWTs and name their resource.
type authority struct {
	url    string
	server *httptest.Server

	mu    sync.Mutex
	grant map[string]int // token requests by grant type
	seen  []string       // bodies of token requests and introspections
}

const (
	callback  = "http://localhost/auth/callback"
	loginPath = "/login"
)

// Clients of the authority.
const (
	desk    = "desk"    // a host: public, with PKCE; its access tokens are JWTs
	kiosk   = "kiosk"   // a host whose access tokens are opaque
	gw      = "gateway" // the gateway itself
	gwSays  = "canary-of-the-gateways-secret"
	machine = "sid1" // the gateway for itself, by client credentials
)

func newAuthority(t testing.TB, resources ...string) *authority {
	t.Helper()
	a := &authority{grant: map[string]int{}}
	routes := http.NewServeMux()
	a.server = httptest.NewServer(a.watched(routes))
	t.Cleanup(a.server.Close)
	a.url = a.server.URL
	clients := map[string]*storage.Client{
		desk:  storage.NativeClient(desk, callback),
		kiosk: storage.NativeClient(kiosk, callback),
		gw:    storage.WebClient(gw, gwSays, callback),
	}
	book := &book{Storage: storage.NewStorageWithClients(storage.NewUserStore(a.url), clients), resources: resources}
	provider, err := op.NewProvider(&op.Config{
		CryptoKey: sha256.Sum256([]byte("test")), CodeMethodS256: true, AuthMethodPost: true, GrantTypeRefreshToken: true,
		AuthMethodPrivateKeyJWT: true,
	}, book, op.StaticIssuer(a.url), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		t.Fatal(err)
	}
	back := op.AuthCallbackURL(provider)
	routes.Handle("/", provider)
	routes.Handle(loginPath, op.NewIssuerInterceptor(provider.IssuerFromRequest).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("id")
		if err := book.CheckUsernamePassword("test-user@"+strings.Split(strings.Split(a.url, "://")[1], ":")[0], "verysecure", id); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		http.Redirect(w, r, back(r.Context(), id), http.StatusFound)
	}))
	return a
}

// watched counts what is asked by grant and keeps what is said.
func (a *authority) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			form, _ := url.ParseQuery(string(body))
			a.mu.Lock()
			a.grant[form.Get("grant_type")]++
			a.seen = append(a.seen, r.URL.Path+"?"+string(body))
			a.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// granted is how many tokens were asked for by a grant; "" counts introspections.
func (a *authority) granted(grant string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.grant[grant]
}

// book is the storage of the authority.
type book struct {
	*storage.Storage
	resources []string
}

// client is a client whose tokens are as a test wants.
type client struct {
	op.Client
	kind op.AccessTokenType
}

func (c client) AccessTokenType() op.AccessTokenType { return c.kind }
func (c client) IsScopeAllowed(string) bool          { return true }
func (c client) LoginURL(id string) string           { return loginPath + "?id=" + id }
func (c client) DevMode() bool                       { return true }
func (c client) GrantTypes() []oidc.GrantType {
	return append(c.Client.GrantTypes(), oidc.GrantTypeClientCredentials)
}

func (b *book) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := b.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	kind := op.AccessTokenTypeJWT
	if id == kiosk {
		kind = op.AccessTokenTypeBearer
	}
	return client{c, kind}, nil
}

func (b *book) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	if id == gw && secret == gwSays {
		return b.GetClientByClientID(ctx, id)
	}
	c, err := b.Storage.ClientCredentials(ctx, id, secret)
	if err != nil {
		return nil, err
	}
	return client{c, op.AccessTokenTypeJWT}, nil
}

func (b *book) ClientCredentialsTokenRequest(_ context.Context, id string, scopes []string) (op.TokenRequest, error) {
	return &oidc.JWTTokenRequest{Subject: id, Audience: []string{behind}, Scopes: scopes}, nil
}

// behind names the upstream to the authority.
const behind = "https://behind.example/mcp"

// The requests of hosts are for the gateway's endpoints.
type (
	authRequest struct {
		*storage.AuthRequest
		audience []string
	}
	refreshRequest struct {
		op.RefreshTokenRequest
		audience []string
	}
)

func (r authRequest) GetAudience() []string    { return r.audience }
func (r refreshRequest) GetAudience() []string { return r.audience }

func (b *book) widen(r op.AuthRequest, err error) (op.AuthRequest, error) {
	inner, ok := r.(*storage.AuthRequest)
	if err != nil || !ok {
		return r, errors.Join(err)
	}
	return authRequest{inner, append([]string{inner.GetClientID()}, b.resources...)}, nil
}

func (b *book) CreateAuthRequest(ctx context.Context, r *oidc.AuthRequest, user string) (op.AuthRequest, error) {
	return b.widen(b.Storage.CreateAuthRequest(ctx, r, user))
}

func (b *book) AuthRequestByID(ctx context.Context, id string) (op.AuthRequest, error) {
	return b.widen(b.Storage.AuthRequestByID(ctx, id))
}

func (b *book) AuthRequestByCode(ctx context.Context, code string) (op.AuthRequest, error) {
	return b.widen(b.Storage.AuthRequestByCode(ctx, code))
}

func (b *book) TokenRequestByRefreshToken(ctx context.Context, token string) (op.RefreshTokenRequest, error) {
	r, err := b.Storage.TokenRequestByRefreshToken(ctx, token)
	if err != nil {
		return nil, err
	}
	return refreshRequest{r, append([]string{r.GetClientID()}, b.resources...)}, nil
}

func inner(r op.TokenRequest) op.TokenRequest {
	switch r := r.(type) {
	case authRequest:
		return r.AuthRequest
	case refreshRequest:
		return r.RefreshTokenRequest
	}
	return r
}

func (b *book) CreateAccessToken(ctx context.Context, r op.TokenRequest) (string, time.Time, error) {
	return b.Storage.CreateAccessToken(ctx, inner(r))
}

func (b *book) CreateAccessAndRefreshTokens(ctx context.Context, r op.TokenRequest, current string) (string, string, time.Time, error) {
	return b.Storage.CreateAccessAndRefreshTokens(ctx, inner(r), current)
}

func (b *book) SetIntrospectionFromToken(ctx context.Context, said *oidc.IntrospectionResponse, id, subject, who string) error {
	if who != gw {
		return errors.New("not the gateway")
	}
	err := b.Storage.SetIntrospectionFromToken(ctx, said, id, subject, kiosk)
	said.Audience = b.resources
	return err
}

func (b *book) ValidateTokenExchangeRequest(_ context.Context, r op.TokenExchangeRequest) error {
	r.SetRequestedTokenType(oidc.AccessTokenType)
	r.SetCurrentScopes(r.GetScopes())
	return nil
}

// The JWTs of the authority name their scopes, and, for whom asks by the scope
// since:DURATION, how long ago the person signed in.
func (b *book) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	out := map[string]any{"scope": strings.Join(scopes, " ")}
	for _, s := range scopes {
		if text, ok := strings.CutPrefix(s, "since:"); ok {
			ago, err := time.ParseDuration(text)
			if err != nil {
				return nil, err
			}
			out["auth_time"] = time.Now().Add(-ago).Unix()
		}
	}
	return out, nil
}

func (b *book) GetPrivateClaimsFromTokenExchangeRequest(_ context.Context, r op.TokenExchangeRequest) (map[string]any, error) {
	return map[string]any{"scope": strings.Join(r.GetScopes(), " ")}, nil
}

// tokens is what a host gets.
type tokens struct{ access, refresh string }

// login takes a host through the code flow with PKCE, with a person who signs in
// at once, and returns its tokens.
func (a *authority) login(t testing.TB, client string, scopes ...string) tokens {
	t.Helper()
	const verifier = "a-verifier-of-forty-three-characters-or-more-it-is"
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"client_id": {client}, "response_type": {"code"}, "redirect_uri": {callback}, "state": {"s"},
		"scope":          {strings.Join(append(scopes, "openid", "offline_access"), " ")},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	at := a.url + "/authorize?" + query.Encode()
	host := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 5 {
		resp, err := host.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		next, err := resp.Location()
		if err != nil {
			t.Fatalf("%s: %d %s", at, resp.StatusCode, body)
		}
		if at = next.String(); strings.HasPrefix(at, callback) {
			return a.redeem(t, url.Values{
				"grant_type": {"authorization_code"}, "code": {next.Query().Get("code")}, "redirect_uri": {callback},
				"client_id": {client}, "code_verifier": {verifier},
			})
		}
	}
	t.Fatal("no way through the login")
	return tokens{}
}

// redeem asks the token endpoint.
func (a *authority) redeem(t testing.TB, form url.Values) tokens {
	t.Helper()
	resp, err := http.PostForm(a.url+"/oauth/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("token endpoint: %d %s %v", resp.StatusCode, body, err)
	}
	return tokens{text(body, "access_token"), text(body, "refresh_token")}
}

func text(object []byte, name string) string {
	raw, _ := protocol.Member(object, name)
	s, _ := protocol.Text(raw)
	return s
}
