package issuer

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcp-gateway/protocol"
)

// ErrInactive says that the issuer does not stand by a token, without telling why.
var ErrInactive = errors.New("issuer: the token is not active")

const (
	questions     = 16               // to one introspection endpoint at a time
	inactiveFor   = 10 * time.Second // how long an issuer's no is remembered
	inactiveNoted = 4096
)

// Introspector asks an introspection endpoint whether a token is good (RFC 7662).
// What it said yes to, its caller remembers; what it said no to is kept here for a
// moment, so that a wrong token asks once. It is safe for concurrent use.
type Introspector struct {
	endpoint string
	client   Client
	http     *http.Client
	clock    func() time.Time
	slots    chan struct{}
	inactive *lru.Cache[[sha256.Size]byte, time.Time]

	mu    sync.Mutex
	under map[[sha256.Size]byte]*question
}

// question is one token about which the endpoint is being asked.
type question struct {
	done   chan struct{}
	claims []byte
	err    error
}

// NewIntrospector returns the introspector of an endpoint.
func NewIntrospector(endpoint string, as Client, client *http.Client, clock func() time.Time) (*Introspector, error) {
	inactive, err := lru.New[[sha256.Size]byte, time.Time](inactiveNoted)
	return &Introspector{
		endpoint: endpoint, client: as, http: client, clock: clock, inactive: inactive,
		slots: make(chan struct{}, questions), under: make(map[[sha256.Size]byte]*question),
	}, err
}

// Ask returns what the endpoint says of an active token: one strict JSON object.
// Callers with the same token share one question. An error is ErrInactive, or a
// *gateway.Error with CodeIssuerUnavailable.
func (i *Introspector) Ask(ctx context.Context, raw string, digest [sha256.Size]byte) ([]byte, error) {
	if until, ok := i.inactive.Get(digest); ok && i.clock().Before(until) {
		return nil, ErrInactive
	}
	i.mu.Lock()
	q := i.under[digest]
	if q == nil {
		select {
		case i.slots <- struct{}{}:
		default:
			i.mu.Unlock()
			return nil, unavailable(errBusy, time.Second)
		}
		q = &question{done: make(chan struct{})}
		i.under[digest] = q
		go i.put(q, raw, digest)
	}
	i.mu.Unlock()
	select {
	case <-q.done:
		return q.claims, q.err
	case <-ctx.Done():
		return nil, unavailable(ctx.Err(), retryAfter)
	}
}

var errBusy = errors.New("issuer: as many tokens are being asked about as may be")

// put asks, in its own bounded time: others wait for the answer too.
func (i *Introspector) put(q *question, raw string, digest [sha256.Size]byte) {
	q.claims, q.err = i.ask(raw)
	if errors.Is(q.err, ErrInactive) {
		i.inactive.Add(digest, i.clock().Add(inactiveFor))
	}
	i.mu.Lock()
	delete(i.under, digest)
	i.mu.Unlock()
	<-i.slots
	close(q.done)
}

func (i *Introspector) ask(raw string) ([]byte, error) {
	form := url.Values{"token": {raw}, "token_type_hint": {"access_token"}}
	body, err := PostForm(context.Background(), i.http, i.endpoint, form, i.client)
	if err != nil {
		return nil, unavailable(err, retryAfter)
	}
	active, _ := protocol.Member(body, "active")
	if string(active) != "true" {
		return nil, ErrInactive
	}
	return body, nil
}
