package terms

import (
	"net/url"
	"time"

	"mcp-gateway/auth/grant"
	"mcp-gateway/config"
	"mcp-gateway/egress"
	"mcp-gateway/proxy/throttle"
)

// Rates are the rates of a configuration as the corridor takes them.
func Rates(r config.Rates) throttle.Rates {
	classes := make(map[string]throttle.Rate, len(r.Classes))
	for name, rate := range r.Classes {
		classes[name] = throttle.Rate(rate)
	}
	return throttle.Rates{
		Classes:   classes,
		Principal: throttle.Rate(r.Principal), Tool: throttle.Rate(r.Tool), Upstream: throttle.Rate(r.Upstream),
		Destructive: throttle.Rate(r.Destructive), Bytes: throttle.Rate(r.ResultBytes),
	}
}

// Tokens is where the tokens for an upstream are got; failed is told why there was none.
func Tokens(id string, from *config.Grant, clock func() time.Time, failed func(error)) (*grant.Source, error) {
	var hosts []string
	for _, raw := range [...]string{from.Issuer, from.TokenURL} {
		if u, err := url.Parse(raw); err == nil && u.Hostname() != "" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return grant.New(grant.Options{
		Upstream: id, Issuer: from.Issuer, Endpoint: from.TokenURL, Client: from.Client.Client(), Scopes: from.Scopes,
		Resource: from.Resource, Audience: from.Audience, Exchange: from.Exchange, Clock: clock,
		HTTP: egress.NewClient(egress.Options{AllowHosts: hosts, AllowPrefixes: from.Networks}), Failed: failed,
	})
}

// Exchanged says which upstreams are called with a token that is got in exchange
// for that of who calls.
func Exchanged(c *config.Config) map[string]bool {
	all := make(map[string]bool)
	for id, u := range c.Upstreams {
		if u.HTTP != nil && u.HTTP.Grant != nil && u.HTTP.Grant.Exchange {
			all[id] = true
		}
	}
	return all
}
