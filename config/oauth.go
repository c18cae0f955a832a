package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/config/form"
	"mcp-gateway/config/reach"
)

// Issuer is an OAuth authorization server whose tokens are accepted.
type Issuer struct {
	URL        string // as its tokens name it
	JWKS       string // "" = found by discovery
	Audience   map[string]string
	Algorithms []string
	Skew       time.Duration
	Claims     Claims
	Tenant     string
	Implies    map[string][]string
	Introspect *Introspect
}

// Claims are JSON Pointers into the claims of a token; "" = the usual ones, and no
// tenant.
type Claims struct{ Subject, Tenant, Client, Scopes, Groups string }

// Introspect says how an issuer is asked about tokens.
type Introspect struct {
	URL    string
	Client OAuthClient
	Tokens Introspected
	Cache  time.Duration
}

// Introspected says which tokens an issuer is asked about.
type Introspected string

// The kinds of token that are introspected.
const (
	OpaqueTokens Introspected = "opaque"
	AllTokens    Introspected = "all"
)

// OAuthClient is who the gateway is to an authorization server.
type OAuthClient struct {
	ID     string
	Method issuer.Method
	Secret Secret
	Key    Secret
	KeyID  string
	Alg    string
}

// Grant says where the gateway gets its tokens for an upstream.
type Grant struct {
	Exchange bool   // in exchange for the token of who calls; else for itself
	Issuer   string // whose metadata name the token endpoint
	TokenURL string // the token endpoint itself
	Client   OAuthClient
	Scopes   []string
	Resource string // "" = the upstream's URL
	Audience string // "" = not said

	Networks reach.Networks // of the configuration
}

var (
	pointerPattern  = regexp.MustCompile(`^(/([^/~]|~[01])*)+$`)
	endpointPattern = regexp.MustCompile(`^/mcp(/[a-z][a-z0-9-]{0,30})?$`)
)

// issuer describes one issuer.
func (l *loader) issuer(i *Issuer) form.Value {
	i.Algorithms, i.Skew = []string{"RS256", "ES256"}, 30*time.Second
	pointer := func(key, doc string, dst *string) form.Field {
		return form.Field{Key: key, Doc: doc, Value: form.Matching(dst, pointerPattern, "bad_pointer", "JSON Pointer")}
	}
	audiences := form.Keys{Pattern: endpointPattern, Code: "bad_endpoint", Want: "endpoint: /mcp, or /mcp/ and the id of an upstream"}
	scopes := form.Keys{Pattern: scopePattern, Code: "bad_scope", Want: "scope"}
	return form.Object{Check: func(at form.Place) { judgeIssuer(at, i) }, Fields: []form.Field{
		{Key: "issuer", Need: true, Doc: "The issuer as its tokens name it, byte for byte; https, or http to loopback.", Value: form.Text(&i.URL)},
		{Key: "jwks_uri", Doc: "Where its keys are; found by discovery (RFC 8414, OpenID Connect) where absent.", Value: form.Text(&i.JWKS)},
		{Key: "audience", Doc: "By endpoint, such as /mcp or /mcp/files, whom its tokens are meant for there; the endpoint's own URL where absent.", Value: form.Map(&i.Audience, audiences, func(_ form.Entry, s *string) form.Value { return form.Text(s) })},
		{Key: "algorithms", Doc: "Signature algorithms that are accepted.", Value: form.List(&i.Algorithms, func(s *string) form.Value { return form.Word(s, issuer.Algorithms()...) })},
		{Key: "clock_skew", Doc: "By how much clocks may differ.", Value: form.Duration(&i.Skew, 0, 5*time.Minute)},
		{Key: "claims", Doc: "Where its tokens say who it is and what it holds.", Value: form.Object{Fields: []form.Field{
			pointer("subject", "Who it is; /sub where absent.", &i.Claims.Subject),
			pointer("tenant", "The organisation; a token without it is refused.", &i.Claims.Tenant),
			pointer("client", "The OAuth client; /client_id or /azp where absent.", &i.Claims.Client),
			pointer("scopes", "What it holds; /scope or /scp where absent.", &i.Claims.Scopes),
			pointer("groups", "Groups, for policy; /groups where absent.", &i.Claims.Groups),
		}}},
		{Key: "tenant", Doc: "The organisation of all its principals, where no claim says it.", Value: form.Text(&i.Tenant)},
		{Key: "implies", Doc: "By scope, the scopes that it includes.", Value: form.Map(&i.Implies, scopes, func(_ form.Entry, s *[]string) form.Value { return listOf(s, scopePattern, "bad_scope", "scope") })},
		{Key: "introspection", Doc: "Asks the issuer about tokens (RFC 7662).", Value: optional(&i.Introspect, l.introspection)},
	}}
}

func (l *loader) introspection(i *Introspect) form.Value {
	i.Tokens, i.Cache = OpaqueTokens, time.Minute
	return form.Object{Check: func(at form.Place) { judgeURL(at.Child("url"), i.URL); judgeClient(at, &i.Client) }, Fields: append([]form.Field{
		{Key: "url", Need: true, Doc: "The introspection endpoint.", Value: form.Text(&i.URL)},
		{Key: "tokens", Doc: "Which tokens it is asked about: opaque ones, or all, JWTs once they are verified.", Value: form.Word(&i.Tokens, OpaqueTokens, AllTokens)},
		{Key: "cache", Doc: "The longest that its yes is believed.", Value: form.Duration(&i.Cache, time.Second, time.Hour)},
	}, l.oauthClient(&i.Client)...)}
}

// oauthClient describes who the gateway is to an authorization server.
func (l *loader) oauthClient(c *OAuthClient) []form.Field {
	c.Method, c.Alg = issuer.Basic, "ES256"
	return []form.Field{
		{Key: "client_id", Need: true, Doc: "Who the gateway is to the authorization server.", Value: form.Text(&c.ID)},
		{Key: "client_auth", Doc: "How it proves that.", Value: form.Word(&c.Method, issuer.Basic, issuer.Post, issuer.PrivateKeyJWT, issuer.NoMethod)},
		{Key: "client_secret", Doc: "A reference: env:NAME or file:PATH.", Value: l.secrets.Reference(&c.Secret)},
		{Key: "client_key", Doc: "The private key of private_key_jwt, as PEM or JWK: file:PATH.", Value: l.secrets.Key(&c.Key)},
		{Key: "client_key_id", Doc: "Names the key to the authorization server.", Value: form.Text(&c.KeyID)},
		{Key: "client_algorithm", Doc: "By which the key signs.", Value: form.Word(&c.Alg, issuer.Algorithms()...)},
	}
}

func judgeIssuer(at form.Place, i *Issuer) {
	judgeURL(at.Child("issuer"), i.URL)
	judgeURL(at.Child("jwks_uri"), i.JWKS)
	if at.Has("algorithms") && len(i.Algorithms) == 0 {
		at.Child("algorithms").Report("empty", "wants one algorithm at least: without any, no token would be accepted")
	}
	if strings.ContainsAny(i.URL, `"\ `) || strings.Contains(i.URL, "?") {
		at.Child("issuer").Report("bad_url", "an issuer has no query (RFC 8414 section 2)")
	}
	if i.Tenant != "" && i.Claims.Tenant != "" {
		at.Child("tenant").Report("two_tenants", "a claim names the tenant, or this does, not both")
	}
}

// judgeClient holds the way of authentication against what there is for it.
func judgeClient(at form.Place, c *OAuthClient) {
	switch {
	case (c.Method == issuer.Basic || c.Method == issuer.Post) && !at.Has("client_secret"):
		at.Report("missing_key", "%s needs `client_secret`", c.Method)
	case c.Method == issuer.PrivateKeyJWT && !at.Has("client_key"):
		at.Report("missing_key", "%s needs `client_key`", c.Method)
	case c.Key.Set():
		client := c.Client()
		if err := client.Check(); err != nil {
			at.Child("client_key").Report("bad_key", "the file holds no private key, as PEM or JWK, that can sign by %s", c.Alg)
		}
	}
}

// Client is the client with its secrets revealed.
func (c *OAuthClient) Client() issuer.Client {
	return issuer.Client{ID: c.ID, Method: c.Method, Secret: c.Secret.Reveal(), Key: []byte(c.Key.Reveal()), KeyID: c.KeyID, Alg: c.Alg}
}

// judgeIssuers applies the rules over all issuers.
func (c *Config) judgeIssuers(root form.Place) {
	list := root.Child("auth", "issuers")
	seen, asked := map[string]bool{}, false
	for n, i := range c.Auth.Issuers {
		at := list.Item(n)
		if i.URL != "" && seen[i.URL] {
			at.Child("issuer").Report("duplicate_id", "another entry is the same issuer")
		}
		seen[i.URL] = true
		if i.Introspect != nil && asked {
			at.Child("introspection").Report("two_introspections", "an opaque token does not say who issued it, and is shown to one issuer only: another one has `introspection` already")
		}
		asked = asked || i.Introspect != nil
		for _, endpoint := range slices.Sorted(maps.Keys(i.Audience)) {
			if id, scoped := strings.CutPrefix(endpoint, "/mcp/"); scoped && c.Upstreams[id] == nil {
				at.Child("audience", endpoint).Report("unknown_upstream", "there is no upstream `%s`", id)
			}
		}
	}
	if len(c.Auth.Issuers) > 0 && c.Listen.URL == "" {
		list.Report("no_url", "tokens are issued for a URL: `listen.url` says by which hosts reach the gateway, such as https://mcp.example")
	}
}

// Trusted are the issuers as the authenticator takes them.
func (c *Config) Trusted() []auth.Issuer {
	var all []auth.Issuer
	for _, i := range c.Auth.Issuers {
		t := auth.Issuer{
			URL: i.URL, JWKS: i.JWKS, Networks: c.Networks, Algorithms: i.Algorithms, Skew: i.Skew, Tenant: i.Tenant,
			Implies: i.Implies, Mapping: i.Claims.mapping(), Audience: make(map[string]string, len(i.Audience)),
		}
		for endpoint, audience := range i.Audience {
			t.Audience[strings.TrimPrefix(strings.TrimPrefix(endpoint, "/mcp"), "/")] = audience
		}
		if s := i.Introspect; s != nil {
			t.Introspect = &auth.Introspection{URL: s.URL, Client: s.Client.Client(), All: s.Tokens == AllTokens, Cache: s.Cache}
		}
		all = append(all, t)
	}
	return all
}

func (c *Claims) mapping() token.Mapping {
	m := token.DefaultMapping()
	if c.Subject != "" {
		m.Subject = c.Subject
	}
	if c.Client != "" {
		m.Client = []string{c.Client}
	}
	if c.Scopes != "" {
		m.Scopes = []string{c.Scopes}
	}
	if c.Groups != "" {
		m.Groups = c.Groups
	}
	m.Tenant = c.Tenant
	return m
}

// credential describes the gateway's own credential at an upstream.
func (l *loader) credential(h *HTTP) form.Value {
	kinds := [...]string{"bearer", "client_credentials", "token_exchange"}
	return form.Object{Check: func(at form.Place) { judgeCredential(at, kinds[:]) }, Fields: []form.Field{
		{Key: kinds[0], Doc: "A token that stays the same. A reference: env:NAME or file:PATH.", Value: l.secrets.Reference(&h.Bearer)},
		{Key: kinds[1], Doc: "Tokens that the gateway gets for itself (RFC 6749 section 4.4).", Value: optional(&h.Grant, l.grant)},
		{Key: kinds[2], Doc: "Tokens that it gets in exchange for those of who calls (RFC 8693); for its own requests, such as lists, it gets them for itself.", Value: optional(&h.Grant, func(g *Grant) form.Value {
			described := l.grant(g)
			g.Exchange = true
			return described
		})},
	}}
}

func judgeCredential(at form.Place, kinds []string) {
	given := 0
	for _, kind := range kinds {
		if at.Has(kind) {
			given++
		}
	}
	if given != 1 {
		at.Report("one_credential", "wants exactly one of %s", strings.Join(kinds, ", "))
	}
}

func (l *loader) grant(g *Grant) form.Value {
	check := func(at form.Place) {
		judgeURL(at.Child("issuer"), g.Issuer)
		judgeURL(at.Child("token_url"), g.TokenURL)
		judgeClient(at, &g.Client)
		if at.Has("issuer") == at.Has("token_url") {
			at.Report("one_endpoint", "wants exactly one of issuer and token_url")
		}
	}
	return form.Object{Check: check, Fields: append([]form.Field{
		{Key: "issuer", Doc: "The authorization server, whose metadata name its token endpoint.", Value: form.Text(&g.Issuer)},
		{Key: "token_url", Doc: "The token endpoint itself.", Value: form.Text(&g.TokenURL)},
		{Key: "scopes", Doc: "What is asked for.", Value: listOf(&g.Scopes, scopePattern, "bad_scope", "scope")},
		{Key: "resource", Doc: "The upstream as the token is asked for it (RFC 8707); its URL where absent.", Value: form.Text(&g.Resource)},
		{Key: "audience", Doc: "By which the authorization server knows the upstream.", Value: form.Text(&g.Audience)},
	}, l.oauthClient(&g.Client)...)}
}
