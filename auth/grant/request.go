package grant

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

const (
	grantClient   = "client_credentials"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeAccess    = "urn:ietf:params:oauth:token-type:access_token"
	typeJWT       = "urn:ietf:params:oauth:token-type:jwt"
	askTime       = 10 * time.Second
)

// ask asks the token endpoint. What went wrong is remembered for a moment, so that
// an authorization server in trouble is not asked by every call.
func (s *Source) ask(on gateway.Behalf) *held {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	endpoint, err := s.find(ctx)
	if err != nil {
		return s.failed(err)
	}
	body, err := issuer.PostForm(ctx, s.opts.HTTP, endpoint, s.form(on), s.opts.Client)
	if err != nil {
		return s.failed(err)
	}
	h, err := s.read(body, on)
	if err != nil {
		return s.failed(err)
	}
	return h
}

func (s *Source) failed(err error) *held {
	if s.opts.Failed != nil {
		s.opts.Failed(err)
	}
	return &held{err: err, until: s.opts.Clock().Add(shortest)}
}

// find returns the token endpoint, by discovery where the configuration names the
// issuer only.
func (s *Source) find(ctx context.Context) (string, error) {
	s.mu.Lock()
	known := s.endpoint
	s.mu.Unlock()
	if known != "" {
		return known, nil
	}
	m, err := issuer.Discover(ctx, s.opts.HTTP, s.opts.Issuer)
	if err != nil {
		return "", err
	}
	if m.Token == "" {
		return "", issuer.ErrEndpoint
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoint = m.Token
	return m.Token, nil
}

// form is the request (RFC 6749 section 4.4.2, RFC 8693 section 2.1).
func (s *Source) form(on gateway.Behalf) url.Values {
	form := url.Values{"grant_type": {grantClient}}
	if on.Principal != "" {
		form = url.Values{
			"grant_type": {grantExchange}, "subject_token": {on.Token.Reveal()}, "subject_token_type": {typeAccess},
			"requested_token_type": {typeAccess},
		}
	}
	for name, value := range map[string]string{
		"scope": strings.Join(s.opts.Scopes, " "), "resource": s.opts.Resource, "audience": s.opts.Audience,
	} {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

// read takes the token from an answer.
func (s *Source) read(body []byte, on gateway.Behalf) (*held, error) {
	h := &held{token: member(body, "access_token")}
	if !presentable(h.token) || !strings.EqualFold(member(body, "token_type"), "Bearer") {
		return nil, ErrAnswer
	}
	exchanged := on.Principal != ""
	if kind := member(body, "issued_token_type"); exchanged && kind != typeAccess && kind != typeJWT {
		return nil, ErrAnswer
	}
	if exchanged && h.token == on.Token.Reveal() {
		return nil, ErrAnswer // it was to be another one: this one is for the gateway alone
	}
	if err := s.meant(h.token, exchanged); err != nil {
		return nil, err
	}
	life := unspecified
	if raw, ok := protocol.Member(body, "expires_in"); ok {
		seconds, err := strconv.ParseInt(string(raw), 10, 32)
		if err != nil || seconds <= 0 {
			return nil, ErrAnswer
		}
		life = time.Duration(seconds) * time.Second
	}
	h.until = s.opts.Clock().Add(max(life-early, min(life, shortest)))
	return h, nil
}

// meant holds the audience of a token that is a JWT against whom it was asked for:
// always where it stands for somebody else.
func (s *Source) meant(raw string, exchanged bool) error {
	var wanted []string
	for _, name := range [...]string{s.opts.Audience, s.opts.Resource} {
		if name != "" {
			wanted = append(wanted, name)
		}
	}
	if !exchanged && s.opts.Audience == "" || len(wanted) == 0 {
		return nil
	}
	t, err := token.Parse(raw)
	if errors.Is(err, token.ErrNotJWT) {
		return nil // an opaque token is its issuer's affair
	}
	if err != nil {
		return err
	}
	audiences, err := t.Claims.Audiences()
	if err != nil || !slices.ContainsFunc(audiences, func(a string) bool { return slices.Contains(wanted, a) }) {
		return ErrAudience
	}
	return nil
}

// presentable says whether a token can stand in a header (RFC 6750 section 2.1).
func presentable(raw string) bool {
	outside := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' || r == ',' }
	return raw != "" && len(raw) <= token.MaxLength && !strings.ContainsFunc(raw, outside)
}

func member(object []byte, name string) string {
	raw, ok := protocol.Member(object, name)
	if !ok {
		return ""
	}
	s, _ := protocol.Text(raw)
	return s
}
