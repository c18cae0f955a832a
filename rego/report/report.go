package report

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/rego/deliver"

	"github.com/open-policy-agent/opa/v1/logging"
	"github.com/open-policy-agent/opa/v1/plugins"
	"github.com/open-policy-agent/opa/v1/plugins/bundle"
	"github.com/open-policy-agent/opa/v1/plugins/rest"
	"github.com/open-policy-agent/opa/v1/plugins/status"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// Options say who is told.
type Options struct {
	URL       string       // of the service: POST URL/status, or URL/status/Partition
	HTTP      *http.Client // from egress.NewClient
	Bearer    string       // credential at the service; "" = none
	Partition string
	ID        string // of this gateway, a label
	Version   string // of the gateway, a label
	// Failed is told once of each time in which the service takes no report.
	Failed func(error)
}

// exchangeTime is how long one report may take, and the last of all.
const exchangeTime = 20 * time.Second

// answerLimit bounds what is read of the service's answer.
const answerLimit = 64 << 10

// Names under which OPA's manager knows the service, and our client.
const (
	serviceName = "service"
	clientName  = "mcp_gateway"
)

// Reporter tells a service how bundles stand. The nil Reporter tells nobody.
type Reporter struct {
	manager *plugins.Manager
	plugin  *status.Plugin
}

// New returns a reporter that is to be closed.
func New(o Options) (*Reporter, error) {
	config, err := json.Marshal(map[string]any{
		"labels": map[string]string{"gateway": "mcp-gateway", "gateway_version": o.Version},
		"services": map[string]any{serviceName: map[string]any{
			"url": strings.TrimSuffix(o.URL, "/"), "credentials": map[string]any{"plugin": clientName},
		}},
		"status": map[string]any{"service": serviceName, "partition_name": o.Partition},
	})
	if err != nil {
		return nil, err
	}
	quiet := logging.NewNoOpLogger()
	m, err := plugins.New(config, o.ID, inmem.New(), plugins.Logger(quiet), plugins.ConsoleLogger(quiet), plugins.GracefulShutdownPeriod(int(exchangeTime/time.Second)))
	if err != nil {
		return nil, err
	}
	m.Register(clientName, newClient(&o))
	settings, err := status.ParseConfig(m.Config.Status, m.Services(), nil)
	if err != nil {
		return nil, err
	}
	p := status.New(settings, m)
	m.Register(status.Name, p)
	if err := p.Start(context.Background()); err != nil { // it ends with Close
		return nil, err
	}
	return &Reporter{m, p}, nil
}

// Tell tells how each bundle stands, by name. It does not wait; what was not told yet
// is left out for what is newer.
func (r *Reporter) Tell(all map[string]deliver.Status) {
	if r == nil {
		return
	}
	out := make(map[string]*bundle.Status, len(all))
	for name, s := range all {
		out[name] = said(name, &s)
	}
	r.plugin.BulkUpdateBundleStatus(out)
}

// Close tells what was not told yet, and ends.
func (r *Reporter) Close() {
	if r == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), exchangeTime)
	defer cancel()
	r.manager.Stop(ctx)
}

// said is a Status in OPA's words. Its revision is the label that the bundle's maker
// gave it, as OPA has it, and the digest where there is none.
func said(name string, s *deliver.Status) *bundle.Status {
	out := &bundle.Status{
		Name: name, ActiveRevision: s.Label, Type: "snapshot", LastSuccessfulActivation: s.Taken,
		LastSuccessfulDownload: s.Came, LastSuccessfulRequest: s.Asked, LastRequest: s.Tried, Code: s.Code(),
	}
	if s.Label == "" {
		out.ActiveRevision = s.Revision
	}
	if out.Code != "" {
		out.Message = "what is in force stays: " + strings.Join(append([]string{}, s.Refused...), ", ")
		if len(s.Refused) == 0 {
			out.Message = "the service gives no bundle; what is in force stays"
		}
	}
	return out
}

// client is the plugin by which OPA reaches the service through an HTTP client of
// egress, so that every connection passes the dial guard.
type client struct {
	http   *http.Client
	bearer string
	base   http.RoundTripper
	failed func(error)

	mu   sync.Mutex
	away bool
}

func newClient(o *Options) *client {
	c := &client{bearer: o.Bearer, base: o.HTTP.Transport, failed: o.Failed}
	own := *o.HTTP
	own.Transport, own.Timeout = c, exchangeTime
	c.http = &own
	return c
}

// NewClient implements rest.HTTPAuthPlugin.
func (c *client) NewClient(rest.Config) (*http.Client, error) { return c.http, nil }

// Prepare implements rest.HTTPAuthPlugin.
func (c *client) Prepare(r *http.Request) error {
	r.URL.Path = strings.TrimSuffix(r.URL.Path, "/") // of no partition
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	return nil
}

// RoundTrip implements http.RoundTripper.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.base.RoundTrip(r)
	switch {
	case err == nil && resp.StatusCode/100 != 2:
		c.tell(fmt.Errorf("the service answered %d", resp.StatusCode))
	case err == nil || r.Context().Err() == nil:
		c.tell(err)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	_, _ = egress.ReadBody(resp.Body, answerLimit) // so that the connection may serve again
	resp.Body = http.NoBody
	return resp, nil
}

func (c *client) tell(err error) {
	c.mu.Lock()
	first := err != nil && !c.away
	c.away = err != nil
	c.mu.Unlock()
	if first {
		c.failed(err)
	}
}

// Start implements plugins.Plugin.
func (c *client) Start(context.Context) error { return nil }

// Stop implements plugins.Plugin.
func (c *client) Stop(context.Context) {}

// Reconfigure implements plugins.Plugin.
func (c *client) Reconfigure(context.Context, any) {}
