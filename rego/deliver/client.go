package deliver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcp-gateway/egress"

	"github.com/open-policy-agent/opa/v1/logging"
	"github.com/open-policy-agent/opa/v1/plugins/rest"
)

// exchangeTime is how long one exchange with the service may take, its body
// included, beside the time for which it may hold the question open.
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
	within time.Duration // one exchange
	empty  []byte        // a bundle that says nothing
	asked  time.Time     // last; by one exchange at a time

	mu   sync.Mutex
	last arrival
}

func newClient(o *Options) *client {
	c := &client{bearer: o.Bearer, base: o.HTTP.Transport, within: exchangeTime + o.Poll.Wait, empty: emptyBundle()}
	own := *o.HTTP
	own.Transport = c
	c.http = &own
	return c
}

// emptyBundle is an archive without files, which OPA takes for a bundle.
func emptyBundle() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_ = errors.Join(tar.NewWriter(z).Close(), z.Close()) // a buffer takes all
	return out.Bytes()
}

// opa returns OPA's client, and the path at which it is to ask.
func (c *client) opa(raw string) (rest.Client, string, error) {
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
	preferred := "modes=snapshot"
	if _, wait, held := strings.Cut(r.Header.Get("Prefer"), ";wait="); held {
		preferred += ";wait=" + wait
	}
	r.Header.Set("Prefer", preferred)
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	return nil
}

// RoundTrip implements http.RoundTripper. OPA's downloader is given an empty bundle
// of our own in the place of what came: it would parse that before anybody has
// verified it.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := c.settle(r.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), c.within)
	defer cancel()
	resp, err := c.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	came := arrival{etag: resp.Header.Get("ETag")}
	body := []byte{}
	if resp.StatusCode == http.StatusOK {
		if came.raw, err = egress.ReadBody(resp.Body, MaxBytes); err != nil {
			return nil, err
		}
		body = c.empty
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	c.mu.Lock()
	c.last = came
	c.mu.Unlock()
	return resp, nil
}

// pause lies between two questions of one downloader at least, whatever a service says
// that holds questions open.
const pause = time.Second

func (c *client) settle(ctx context.Context) error {
	left := time.NewTimer(time.Until(c.asked.Add(pause)))
	defer left.Stop()
	select {
	case <-left.C:
	case <-ctx.Done():
	}
	c.asked = time.Now()
	return ctx.Err()
}

// came returns what the last exchange brought, once.
func (c *client) came() arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last
	c.last = arrival{}
	return last
}
