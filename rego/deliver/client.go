package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcp-gateway/egress"

	"github.com/open-policy-agent/opa/v1/logging"
	"github.com/open-policy-agent/opa/v1/plugins/rest"
)

// exchangeTime is how long one exchange with the service may take, its body
// included.
const exchangeTime = time.Minute

// pluginName is under which OPA's client finds ours.
const pluginName = "mcp_gateway"

// client is the rest.HTTPAuthPlugin by which OPA's downloader uses an HTTP client
// of egress, so that every connection passes the dial guard. It takes each body in
// whole, within bounds of size and time, before OPA parses any of it.
type client struct {
	http   *http.Client
	bearer string
	base   http.RoundTripper

	mu  sync.Mutex
	raw []byte // of the last exchange that brought a bundle
}

func newClient(o *Options) *client {
	c := &client{bearer: o.Bearer, base: o.HTTP.Transport}
	own := *o.HTTP
	own.Transport = c
	c.http = &own
	return c
}

// rest returns OPA's client, and the path at which it is to ask.
func (c *client) rest(raw string) (rest.Client, string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return rest.Client{}, "", err
	}
	config, err := json.Marshal(map[string]any{
		"name": "policy", "url": u.Scheme + "://" + u.Host, "credentials": map[string]any{"plugin": pluginName},
	})
	if err != nil {
		return rest.Client{}, "", err
	}
	out, err := rest.New(config, nil, rest.Logger(logging.NewNoOpLogger()),
		rest.AuthPluginLookup(func(string) rest.HTTPAuthPlugin { return c }))
	return out, u.RequestURI(), err
}

// NewClient implements rest.HTTPAuthPlugin.
func (c *client) NewClient(rest.Config) (*http.Client, error) { return c.http, nil }

// Prepare implements rest.HTTPAuthPlugin. Deltas are not asked for: they can't be
// signed.
func (c *client) Prepare(r *http.Request) error {
	r.Header.Set("Prefer", "modes=snapshot")
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	return nil
}

// RoundTrip implements http.RoundTripper.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), exchangeTime)
	defer cancel()
	resp, err := c.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		resp.Body = http.NoBody
		return resp, nil
	}
	raw, err := egress.ReadBody(resp.Body, MaxBytes)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.raw = raw
	c.mu.Unlock()
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

// came returns what the last exchange brought, once; nil for no bundle.
func (c *client) came() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw := c.raw
	c.raw = nil
	return raw
}
