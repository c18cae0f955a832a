package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwk"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

func TestGoodToken(t *testing.T) {
	s := newAuthority(t)
	s.do(func() { s.keys["rsa"] = rsaKey(t, 2048) })
	a := s.trustIn(func(_ *Options, i *Issuer) {
		i.Tenant = "platform"
		i.Implies = map[string][]string{"files:admin": {"files:write"}, "files:write": {"files:read"}}
	})
	tests := map[string]string{
		"at+jwt":                     s.good(),
		"no typ":                     s.sign("ec", "ES256", nil, s.claims(nil)),
		"JWT":                        s.sign("ec", "ES256", map[string]any{"typ": "JWT"}, s.claims(nil)),
		"application/at+jwt":         s.sign("ec", "ES256", map[string]any{"typ": "application/at+jwt"}, s.claims(nil)),
		"RSA":                        s.sign("rsa", "RS256", nil, s.claims(nil)),
		"a list of audiences":        s.sign("ec", "ES256", nil, s.claims(map[string]any{"aud": []string{"x", here + "/mcp"}})),
		"expired within the skew":    s.sign("ec", "ES256", nil, s.claims(map[string]any{"exp": s.clock().Unix() - 29})),
		"from within the skew":       s.sign("ec", "ES256", nil, s.claims(map[string]any{"nbf": s.clock().Unix() + 29})),
		"fractional times":           s.sign("ec", "ES256", nil, s.claims(map[string]any{"iat": float64(s.clock().Unix()) - 0.5})),
		"scopes as a list":           s.sign("ec", "ES256", nil, s.claims(map[string]any{"scope": nil, "scp": []string{"use", "files:read", "use"}})),
		"no kid, one key that fits":  s.sign("rsa", "RS256", map[string]any{"kid": ""}, s.claims(nil)),
		"unknown members in headers": s.sign("ec", "ES256", map[string]any{"jku": "http://169.254.169.254/"}, s.claims(nil)),
	}
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := a.Identify(t.Context(), with(raw))
			if err != nil {
				t.Fatal(err)
			}
			want := gateway.Principal{
				Issuer: s.url, Subject: "alice", Tenant: "platform", Client: "desk",
				Scopes: []string{"files:read", "use"}, Method: gateway.AuthOAuth,
			}
			if fmt.Sprint(*p) != fmt.Sprint(want) {
				t.Errorf("principal %+v, want %+v", *p, want)
			}
		})
	}
	if n := s.sets.Load(); n != 1 {
		t.Errorf("%d fetches of the key set", n)
	}
	p, err := a.Identify(t.Context(), with(s.sign("ec", "ES256", nil, s.claims(map[string]any{"scope": "files:admin"}))))
	if err != nil || !slices.Equal(p.Scopes, []string{"files:admin", "files:read", "files:write"}) {
		t.Errorf("what files:admin includes: %v %v", p, err)
	}
}

// badToken is one row of the table of bad tokens.
type badToken struct {
	raw  string
	want error
	code gateway.Code
}

func badTokens(s *authority) map[string]badToken {
	t := s.t
	now := s.clock().Unix()
	ec := func(header, changes map[string]any) string { return s.sign("ec", "ES256", header, s.claims(changes)) }
	good := s.good()
	head, rest, _ := strings.Cut(good, ".")
	body, signature, _ := strings.Cut(rest, ".")
	claims, err := json.Marshal(s.claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	public, err := jwk.PublicKeyOf(s.keys["rsa"])
	if err != nil {
		t.Fatal(err)
	}
	pem, err := jwk.Pem(public)
	if err != nil {
		t.Fatal(err)
	}
	doubled := strings.Replace(string(claims), `"sub":"alice"`, `"sub":"alice","sub":"root"`, 1)
	const no = gateway.CodeUnauthenticated
	return map[string]badToken{
		"expired":                     {ec(nil, map[string]any{"exp": now - 31}), token.ErrExpired, no},
		"no expiry":                   {ec(nil, map[string]any{"exp": nil}), token.ErrNoExpiry, no},
		"expiry that is a text":       {ec(nil, map[string]any{"exp": "9999999999"}), token.ErrClaim, no},
		"not yet":                     {ec(nil, map[string]any{"nbf": now + 31}), token.ErrNotYet, no},
		"issued in the future":        {ec(nil, map[string]any{"iat": now + 31}), token.ErrNotYet, no},
		"another audience":            {ec(nil, map[string]any{"aud": "https://other.example/mcp"}), token.ErrAudience, no},
		"audience of one upstream":    {ec(nil, map[string]any{"aud": here + "/mcp/files"}), token.ErrAudience, no},
		"audience without the path":   {ec(nil, map[string]any{"aud": here}), token.ErrAudience, no},
		"audience with a slash":       {ec(nil, map[string]any{"aud": here + "/mcp/"}), token.ErrAudience, no},
		"audience of a longer host":   {ec(nil, map[string]any{"aud": here + ".evil.example/mcp"}), token.ErrAudience, no},
		"no audience":                 {ec(nil, map[string]any{"aud": nil}), token.ErrAudience, no},
		"audience that is a number":   {ec(nil, map[string]any{"aud": 1}), token.ErrClaim, no},
		"another issuer":              {ec(nil, map[string]any{"iss": "https://evil.example"}), ErrIssuer, no},
		"issuer with a slash":         {ec(nil, map[string]any{"iss": s.url + "/"}), ErrIssuer, no},
		"no issuer":                   {ec(nil, map[string]any{"iss": nil}), ErrIssuer, no},
		"no subject":                  {ec(nil, map[string]any{"sub": nil}), token.ErrNoSubject, no},
		"subject that is a list":      {ec(nil, map[string]any{"sub": []string{"alice"}}), token.ErrClaim, no},
		"subject with a line break":   {ec(nil, map[string]any{"sub": "alice\nroot"}), token.ErrClaim, no},
		"scope that is an object":     {ec(nil, map[string]any{"scope": map[string]any{}}), token.ErrClaim, no},
		"groups that are an object":   {ec(nil, map[string]any{"groups": map[string]any{}}), token.ErrClaim, no},
		"too many scopes":             {ec(nil, map[string]any{"scope": manyScopes(300)}), token.ErrClaim, no},
		"bound to a key":              {ec(nil, map[string]any{"cnf": map[string]any{"jkt": "x"}}), token.ErrBound, no},
		"nested claims":               {ec(nil, map[string]any{"deep": nested(50)}), token.ErrJSON, no},
		"huge claims":                 {ec(nil, map[string]any{"more": long(20 << 10)}), token.ErrTooLong, gateway.CodeMalformedCredential},
		"typ of an ID token's logout": {ec(map[string]any{"typ": "logout+jwt"}, nil), token.ErrType, no},
		"typ of a DPoP proof":         {ec(map[string]any{"typ": "dpop+jwt"}, nil), token.ErrType, no},
		"unknown kid":                 {ec(map[string]any{"kid": "other"}, nil), issuer.ErrUnknownKey, no},
		"alg none":                    {unsigned(`{"alg":"none"}`, string(claims), ""), ErrAlgorithm, no},
		"alg None":                    {unsigned(`{"alg":"None","kid":"ec"}`, string(claims), ""), ErrAlgorithm, no},
		"alg none and a signature":    {unsigned(`{"alg":"none","kid":"ec"}`, string(claims), signature), ErrAlgorithm, no},
		"no alg":                      {unsigned(`{"typ":"at+jwt"}`, string(claims), signature), token.ErrAlgorithm, no},
		"alg twice":                   {unsigned(`{"alg":"ES256","alg":"none"}`, string(claims), signature), ErrOpaque, no},
		"key confusion by PEM":        {forge(t, pem, "rsa", "HS256", nil, s.claims(nil)), ErrAlgorithm, no},
		"key of another kind":         {s.sign("rsa", "RS256", map[string]any{"kid": "ec"}, s.claims(nil)), issuer.ErrKeyUse, no},
		"algorithm not allowed":       {s.sign("rsa", "PS256", nil, s.claims(nil)), ErrAlgorithm, no},
		"algorithm of another curve":  {s.sign("p384", "ES384", nil, s.claims(nil)), ErrAlgorithm, no},
		"another's key":               {forge(t, ecKey(t), "ec", "ES256", nil, s.claims(nil)), issuer.ErrSignature, no},
		"a key that it brings along":  {forge(t, ecKey(t), "ec", "ES256", map[string]any{"jku": "https://evil.example/keys"}, s.claims(nil)), issuer.ErrSignature, no},
		"critical extension":          {unsigned(`{"alg":"ES256","kid":"ec","crit":["exp"]}`, string(claims), signature), token.ErrCritical, no},
		"claims of another token":     {head + "." + encode(`{"iss":"`+s.url+`"}`) + "." + signature, issuer.ErrSignature, no},
		"doubled claim":               {head + "." + encode(doubled) + "." + signature, token.ErrJSON, no},
		"padded":                      {head + "." + body + "=." + signature, token.ErrEncoding, no},
		"no signature":                {head + "." + body + ".", issuer.ErrSignature, no},
		"two segments":                {head + "." + body, ErrOpaque, no},
		"four segments":               {good + ".x", ErrOpaque, no},
		"encrypted":                   {head + "." + body + ".a.b.c", ErrOpaque, no},
		"opaque, and nobody to ask":   {"2YotnFZFEjr1zCsicMWpAA", ErrOpaque, no},
		"an API key that is none":     {KeyPrefix + long(43), ErrUnknownKey, no},
		"JSON serialization":          {`{"payload":"` + body + `","signature":"` + signature + `"}`, ErrSyntax, gateway.CodeMalformedCredential},
		"two headers in one":          {good + ", Bearer " + good, ErrSyntax, gateway.CodeMalformedCredential},
		"a blank in it":               {head + " ." + body, ErrSyntax, gateway.CodeMalformedCredential},
		"a letter of another script":  {"gооd", ErrSyntax, gateway.CodeMalformedCredential},
		"another alphabet of base64":  {"a+b/c==", ErrOpaque, no},
		"empty":                       {"", ErrOpaque, no},
	}
}

func manyScopes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d ", i)
	}
	return b.String()
}

// TestBadTokens is the table of bad tokens: each with why, its code and challenge.
func TestBadTokens(t *testing.T) {
	s := newAuthority(t)
	s.keys["rsa"], s.keys["p384"] = rsaKey(t, 2048), p384Key(t)
	a := s.trustIn(nil)
	const metadata = `scope="files:read", resource_metadata="` + here + `/.well-known/oauth-protected-resource/mcp"`
	for name, tt := range badTokens(s) {
		t.Run(name, func(t *testing.T) {
			p, err := a.Identify(t.Context(), with(tt.raw))
			if !errors.Is(err, tt.want) || p != nil {
				t.Fatalf("p = %v, err = %v, want %v", p, err, tt.want)
			}
			var e *gateway.Error
			if !errors.As(err, &e) || e.Code != tt.code {
				t.Fatalf("err = %#v, want code %s", err, tt.code)
			}
			challenge := a.Challenge(with(tt.raw), e)
			problem := `error="invalid_token"`
			if e.Code == gateway.CodeMalformedCredential {
				problem = `error="invalid_request"`
			}
			if !strings.Contains(challenge, problem) || !strings.HasSuffix(challenge, metadata) {
				t.Errorf("challenge: %s", challenge)
			}
			if tt.raw != "" && (strings.Contains(fmt.Sprint(err), tt.raw) || strings.Contains(challenge, tt.raw)) {
				t.Error("the token is told")
			}
		})
	}
	for name, r := range map[string]Request{
		"two headers":         {Header: http.Header{"Authorization": {"Bearer " + s.good(), "Bearer " + s.good()}}},
		"in the URL":          {Query: "access_token=" + s.good(), Header: http.Header{}},
		"in the URL as well":  {Query: "a=b&access_token=x", Header: with(s.good()).Header},
		"in the URL, escaped": {Query: "access%5Ftoken=x", Header: with(s.good()).Header},
	} {
		p, err := a.Identify(t.Context(), r)
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.CodeMalformedCredential || p != nil {
			t.Errorf("%s: %v %v", name, p, err)
		} else if c := a.Challenge(r, e); !strings.Contains(c, `error="invalid_request"`) {
			t.Errorf("%s: challenge %s", name, c)
		}
	}
	if c := a.Challenge(Request{}, gateway.Fail(gateway.CodeUnauthenticated)); strings.Contains(c, "error") || !strings.HasSuffix(c, metadata) {
		t.Errorf("without a credential: %s", c)
	}
}

// TestAudienceByEndpoint holds that a token is good where it is meant for, and
// nowhere else, whether or not it was seen before.
func TestAudienceByEndpoint(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(func(_ *Options, i *Issuer) { i.Audience = map[string]string{"mail": "api://mail"} })
	tokens := map[string]string{
		"":      s.good(),
		"files": s.sign("ec", "ES256", nil, s.claims(map[string]any{"aud": here + "/mcp/files"})),
		"mail":  s.sign("ec", "ES256", nil, s.claims(map[string]any{"aud": "api://mail"})),
	}
	for range 2 {
		for meant, raw := range tokens {
			for _, endpoint := range []string{"", "files", "mail", "other", "fil"} {
				r := with(raw)
				r.Endpoint = endpoint
				if _, err := a.Identify(t.Context(), r); (err == nil) != (endpoint == meant) {
					t.Errorf("a token for %q at %q: %v", meant, endpoint, err)
				}
			}
		}
	}
	r := with(s.sign("ec", "ES256", nil, s.claims(map[string]any{"aud": here + "/mcp/mail"})))
	r.Endpoint = "mail"
	if _, err := a.Identify(t.Context(), r); !errors.Is(err, token.ErrAudience) {
		t.Errorf("the URL, where another audience is configured: %v", err)
	}
}

// TestRemembered holds that a remembered token ends with its time, with its key
// and with nothing else.
func TestRemembered(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	raw := s.good()
	first, err := a.Identify(t.Context(), with(raw))
	if err != nil {
		t.Fatal(err)
	}
	s.do(func() { s.down = true })
	if again, err := a.Identify(t.Context(), with(raw)); err != nil || again != first {
		t.Errorf("while the issuer is away: %v %v", again, err)
	}
	s.do(func() { s.now = s.now.Add(630 * time.Second) })
	if _, err := a.Identify(t.Context(), with(raw)); !errors.Is(err, token.ErrExpired) {
		t.Errorf("after its time: %v", err)
	}
	if a.verdicts.Len() != 0 {
		t.Error("an expired token is remembered")
	}
}

func TestRotation(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	old := s.good()
	if _, err := a.Identify(t.Context(), with(old)); err != nil {
		t.Fatal(err)
	}
	s.do(func() { s.keys["next"] = ecKey(t); s.now = s.now.Add(11 * time.Second) })
	next := s.sign("next", "ES256", nil, s.claims(nil))
	if _, err := a.Identify(t.Context(), with(next)); err != nil {
		t.Fatalf("a token by a key that is new: %v", err)
	}
	s.do(func() { delete(s.keys, "ec"); s.keys["third"] = ecKey(t); s.now = s.now.Add(11 * time.Second) })
	if _, err := a.Identify(t.Context(), with(s.sign("third", "ES256", nil, s.claims(nil)))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Identify(t.Context(), with(old)); !errors.Is(err, issuer.ErrUnknownKey) {
		t.Errorf("a remembered token by a key that its issuer withdrew: %v", err)
	}
	if _, err := a.Identify(t.Context(), with(next)); err != nil {
		t.Errorf("a remembered token by a key that stayed: %v", err)
	}
	before, err := a.Identify(t.Context(), with(next))
	if err != nil {
		t.Fatal(err)
	}
	s.do(func() { s.now = s.now.Add(16 * time.Minute) })
	fresh := s.sign("next", "ES256", nil, s.claims(nil))
	if p, err := a.Identify(t.Context(), with(fresh)); err != nil || p == before {
		t.Fatalf("%v %v", p, err)
	}
	if n := s.sets.Load(); n < 3 {
		t.Errorf("%d fetches", n)
	}
}

// TestKeyStorm holds that tokens with unknown keys, however many at once, cost the
// issuer one question in ten seconds, and nobody else anything.
func TestKeyStorm(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	if _, err := a.Identify(t.Context(), with(s.good())); err != nil {
		t.Fatal(err)
	}
	before := s.sets.Load()
	s.do(func() { s.now = s.now.Add(11 * time.Second) })
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for n := range 50 {
				raw := s.sign("ec", "ES256", map[string]any{"kid": fmt.Sprintf("k%d-%d", i, n)}, s.claims(nil))
				if _, err := a.Identify(t.Context(), with(raw)); !errors.Is(err, issuer.ErrUnknownKey) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	wait.Wait()
	if n := s.sets.Load() - before; n != 1 {
		t.Errorf("400 tokens with unknown keys made %d fetches", n)
	}
	if _, err := a.Identify(t.Context(), with(s.good())); err != nil {
		t.Errorf("a good token meanwhile: %v", err)
	}
}

// TestIssuerAway holds that what can't be judged is not accepted, and says so.
func TestIssuerAway(t *testing.T) {
	s := newAuthority(t)
	s.down = true
	a := s.trustIn(nil)
	for range 20 {
		_, err := a.Identify(t.Context(), with(s.good()))
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.CodeIssuerUnavailable || e.RetryAfter <= 0 {
			t.Fatalf("%v", err)
		}
		if c := a.Challenge(with("x"), e); c != "" {
			t.Fatalf("challenge %s", c)
		}
	}
	s.do(func() { s.down = false; s.now = s.now.Add(11 * time.Second) })
	if _, err := a.Identify(t.Context(), with(s.good())); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}

// TestPrivateNetworks holds that what an issuer names inside the gateway's network is
// reached where the configuration opens that part of it, and nowhere else.
func TestPrivateNetworks(t *testing.T) {
	for networks, want := range map[string]error{
		"":               egress.ErrAddress,
		"10.20.0.0/16":   egress.ErrAddress,
		"127.0.0.2/32":   nil,
		"127.0.0.0/8":    nil,
		"fd00:1234::/32": egress.ErrAddress,
	} {
		s := newAuthority(t)
		inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:0")
		if err != nil {
			t.Fatal(err)
		}
		other := &httptest.Server{Listener: inner, Config: &http.Server{Handler: s}}
		other.Start()
		t.Cleanup(other.Close)
		s.jwks = other.URL + "/keys"
		a := s.trustIn(func(_ *Options, i *Issuer) {
			if networks != "" {
				i.Networks = []netip.Prefix{netip.MustParsePrefix(networks)}
			}
		})
		if _, err := a.Identify(t.Context(), with(s.good())); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", networks, err, want)
		}
	}
}

// TestStale holds that no key set outlives a day without its issuer's word.
func TestStale(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	if _, err := a.Identify(t.Context(), with(s.good())); err != nil {
		t.Fatal(err)
	}
	s.do(func() { s.down = true; s.now = s.now.Add(time.Hour) })
	if _, err := a.Identify(t.Context(), with(s.good())); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	s.do(func() { s.now = s.now.Add(24 * time.Hour) })
	if _, err := a.Identify(t.Context(), with(s.good())); err == nil {
		t.Error("a day later, unheard")
	}
}

func TestIntrospection(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(s.introspecting(false))
	s.says("opaque", nil)
	s.says("elsewhere", map[string]any{"aud": "https://other.example"})
	s.says("nowhere", map[string]any{"aud": nil})
	s.says("foreign", map[string]any{"iss": "https://evil.example"})
	s.says("bound", map[string]any{"cnf": map[string]any{"x": "y"}})
	s.says("dpop", map[string]any{"token_type": "DPoP"})
	s.says("late", map[string]any{"exp": s.clock().Unix() - 60})
	s.says("nobody", map[string]any{"sub": nil})
	for raw, want := range map[string]error{
		"elsewhere": token.ErrAudience, "nowhere": token.ErrAudience, "foreign": ErrIssuer, "bound": token.ErrBound,
		"dpop": ErrTokenType, "late": token.ErrExpired, "nobody": token.ErrNoSubject, "unknown": issuer.ErrInactive,
	} {
		if p, err := a.Identify(t.Context(), with(raw)); !errors.Is(err, want) || p != nil {
			t.Errorf("%s: %v %v", raw, p, err)
		}
	}
	asked := s.asked.Load()
	for range 10 {
		if p, err := a.Identify(t.Context(), with("opaque")); err != nil || p.Subject != "alice" || p.Client != "desk" {
			t.Fatalf("%v %v", p, err)
		}
		if _, err := a.Identify(t.Context(), with("unknown")); err == nil {
			t.Fatal("let in")
		}
	}
	if n := s.asked.Load() - asked; n != 1 {
		t.Errorf("asked %d times", n)
	}
	s.do(func() { delete(s.known, "opaque"); s.now = s.now.Add(61 * time.Second) })
	if _, err := a.Identify(t.Context(), with("opaque")); !errors.Is(err, issuer.ErrInactive) {
		t.Errorf("a minute after it was revoked: %v", err)
	}
	s.do(func() { s.down = true })
	var e *gateway.Error
	if _, err := a.Identify(t.Context(), with("another")); !errors.As(err, &e) || e.Code != gateway.CodeIssuerUnavailable {
		t.Errorf("while the issuer is away: %v", err)
	}
}

// TestIntrospectedJWT holds that with `tokens: all` a JWT must be good by both.
func TestIntrospectedJWT(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(s.introspecting(true))
	good, revoked := s.good(), s.good()
	s.says(good, nil)
	if _, err := a.Identify(t.Context(), with(good)); err != nil {
		t.Error(err)
	}
	if _, err := a.Identify(t.Context(), with(revoked)); !errors.Is(err, issuer.ErrInactive) {
		t.Errorf("a revoked one: %v", err)
	}
	forged := forge(t, ecKey(t), "ec", "ES256", nil, s.claims(nil))
	s.says(forged, nil)
	if _, err := a.Identify(t.Context(), with(forged)); !errors.Is(err, issuer.ErrSignature) {
		t.Errorf("a forged one that the issuer stands by: %v", err)
	}
}

// TestReload holds that what is known of an issuer outlives a reload, and that its
// terms do not.
func TestReload(t *testing.T) {
	s := newAuthority(t)
	before := s.trustIn(nil)
	raw := s.good()
	if _, err := before.Identify(t.Context(), with(raw)); err != nil {
		t.Fatal(err)
	}
	after := s.trustIn(func(o *Options, i *Issuer) { o.Before, i.Algorithms = before, []string{"RS256"} })
	if _, err := after.Identify(t.Context(), with(raw)); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("by an algorithm that is allowed no more: %v", err)
	}
	if after = s.trustIn(func(o *Options, _ *Issuer) { o.Before = before }); after.issuers[s.url].keys != before.issuers[s.url].keys {
		t.Error("the keys are forgotten")
	}
}

func TestMetadata(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	const want = `{"resource":"https://gw.example/mcp/files","authorization_servers":["%s"],"scopes_supported":["files:read"],` +
		`"bearer_methods_supported":["header"],"resource_name":"mcp-gateway"}`
	if got := string(a.Metadata("files")); got != fmt.Sprintf(want, s.url) {
		t.Errorf("metadata %s", got)
	}
}

func TestStepUpChallenge(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	e := gateway.Fail(gateway.CodeInsufficientScope)
	e.Scopes = []string{"incident:create:p1", "use"}
	got := a.Challenge(Request{Header: with("x").Header, Endpoint: "incident"}, e)
	const want = `Bearer realm="mcp-gateway", error="insufficient_scope", ` +
		`error_description="The operation needs more scopes than the credential holds.", scope="incident:create:p1 use", ` +
		`resource_metadata="https://gw.example/.well-known/oauth-protected-resource/mcp/incident"`
	if got != want {
		t.Errorf("challenge\n%s\nwant\n%s", got, want)
	}
}

func BenchmarkRememberedToken(b *testing.B) {
	s := newAuthority(b)
	a := s.trustIn(func(o *Options, _ *Issuer) { o.Clock = nil })
	raw := s.sign("ec", "ES256", nil, s.claims(map[string]any{
		"exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nbf": time.Now().Unix(),
	}))
	r := with(raw)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Identify(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewToken(b *testing.B) {
	s := newAuthority(b)
	a := s.trustIn(nil)
	r := with(s.good())
	b.ReportAllocs()
	for b.Loop() {
		a.verdicts.Purge()
		if _, err := a.Identify(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRememberedIntrospection: an opaque token whose issuer stood by it before.
func BenchmarkRememberedIntrospection(b *testing.B) {
	s := newAuthority(b)
	a := s.trustIn(s.introspecting(false))
	s.says("opaque", nil)
	r := with("opaque")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Identify(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRememberedIsCheap holds the allocations of a remembered token.
func TestRememberedIsCheap(t *testing.T) {
	s := newAuthority(t)
	a := s.trustIn(nil)
	r := with(s.good())
	ctx := t.Context()
	if _, err := a.Identify(ctx, r); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = a.Identify(ctx, r) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
