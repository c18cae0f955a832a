package deliver

import (
	"context"
	"encoding/json"
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
// whole, within bounds of size and time.
type client struct {
	http   *http.Client
	bearer string
	base   http.RoundTripper

	mu   sync.Mutex
	last arrival
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

// RoundTrip implements http.RoundTripper. OPA's downloader is told that nothing is
// new, whatever came: it would parse a bundle before anybody has verified it.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), exchangeTime)
	defer cancel()
	resp, err := c.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	came := arrival{etag: resp.Header.Get("ETag")}
	if resp.StatusCode == http.StatusOK {
		if came.raw, err = egress.ReadBody(resp.Body, MaxBytes); err != nil {
			return nil, err
		}
		resp.StatusCode, resp.Status = http.StatusNotModified, ""
	}
	c.mu.Lock()
	c.last = came
	c.mu.Unlock()
	resp.Body = http.NoBody
	return resp, nil
}

// came returns what the last exchange brought, once.
func (c *client) came() arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last
	c.last = arrival{}
	return last
}
