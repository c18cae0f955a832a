package grant

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/gateway"
)

// Options say where tokens are got, as whom, and what for.
type Options struct {
	Upstream string // id; part of what a token is remembered by
	Issuer   string // whose metadata name the token endpoint; unused with Endpoint
	Endpoint string // the token endpoint; "" = found by discovery
	Client   issuer.Client
	HTTP     *http.Client // with the dial guard; required
	Scopes   []string     // to ask for; none is fine
	Resource string       // the upstream's URL (RFC 8707); "" = not said
	Audience string       // by which the authorization server knows the upstream; "" = not said
	Exchange bool         // who calls is exchanged for (RFC 8693); else the gateway is itself (RFC 6749 section 4.4)
	Clock    func() time.Time
	// Failed is told why there was no token; it must not block. nil for none. The
	// error holds no token and no word of the authorization server's.
	Failed func(error)
}

// Bounds of what is kept.
const (
	keptTokens  = 4096
	early       = 30 * time.Second // before its end a token is not used any more
	shortest    = 10 * time.Second // that a token is used, and a failure remembered
	unspecified = time.Minute      // where no expiry is said
)

// Why there is no token. All travel as CodeUnavailable.
var (
	ErrNobody   = errors.New("grant: who calls came without a token that can be exchanged")
	ErrAnswer   = errors.New("grant: not the token that was asked for")
	ErrAudience = errors.New("grant: the token is for another audience")
)

type key [sha256.Size]byte

// held is a token, or why there was none, until when.
type held struct {
	token string
	err   error
	until time.Time
}

// flight is one question on its way; all who need its answer wait for it.
type flight struct {
	done chan struct{}
	held *held
}

// Source gives tokens. It is safe for concurrent use.
type Source struct {
	opts   Options
	tokens *lru.Cache[key, *held]

	mu       sync.Mutex
	endpoint string
	flights  map[key]*flight
}

// New returns the source; nothing is asked before the first Token.
func New(o Options) (*Source, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Client.Audience == "" {
		o.Client.Audience = o.Issuer // as the security considerations of RFC 7523's users have it; else the endpoint
	}
	tokens, err := lru.New[key, *held](keptTokens)
	return &Source{opts: o, tokens: tokens, endpoint: o.Endpoint, flights: make(map[key]*flight)}, err
}

// Token returns a token for who calls, or for the gateway itself. An error is a
// *gateway.Error with CodeUnavailable: nothing was sent to the upstream.
func (s *Source) Token(ctx context.Context, on gateway.Behalf) (string, error) {
	if !s.opts.Exchange {
		on = gateway.Behalf{}
	}
	if on.Principal != "" && on.Token.Reveal() == "" {
		return "", unavailable(ErrNobody, 0)
	}
	k := s.key(on)
	if h, ok := s.tokens.Get(k); ok && s.opts.Clock().Before(h.until) {
		return h.token, s.failure(h)
	}
	f := s.begin(k, on)
	select {
	case <-f.done:
		return f.held.token, s.failure(f.held)
	case <-ctx.Done():
		return "", unavailable(ctx.Err(), 0)
	}
}

func (s *Source) failure(h *held) error {
	if h.err == nil {
		return nil
	}
	return unavailable(h.err, h.until.Sub(s.opts.Clock()))
}

// Refused forgets a token that the upstream did not take.
func (s *Source) Refused(on gateway.Behalf, token string) {
	if !s.opts.Exchange {
		on = gateway.Behalf{}
	}
	k := s.key(on)
	if h, ok := s.tokens.Peek(k); ok && h.token == token {
		s.tokens.Remove(k)
	}
}

// key digests for which upstream and in exchange for what a token is.
func (s *Source) key(on gateway.Behalf) key {
	h := sha256.New()
	for _, part := range [...]string{s.opts.Upstream, on.Principal, on.Token.Reveal()} {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return key(h.Sum(nil))
}

// begin asks in its own bounded time, once for all who need the same.
func (s *Source) begin(k key, on gateway.Behalf) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flights[k]
	if f != nil {
		return f
	}
	f = &flight{done: make(chan struct{})}
	s.flights[k] = f
	go func() {
		f.held = s.ask(on)
		s.tokens.Add(k, f.held)
		s.mu.Lock()
		delete(s.flights, k)
		s.mu.Unlock()
		close(f.done)
	}()
	return f
}

func unavailable(why error, after time.Duration) error {
	e := gateway.Because(gateway.CodeUnavailable, why, gateway.ReasonCredential)
	e.RetryAfter = max(after, 0)
	return e
}
