package modern

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
)

// accept judges a request by its headers, before anything is read: rows S1 to
// S3 of the transport (2026-07-28, Streamable HTTP, Security & Endpoint), media
// types, and a length that is over the limit already.
func (f *Front) accept(_ context.Context, c *proxy.Call) error {
	switch {
	case c.Arrival.Method != http.MethodPost:
		return gateway.Fail(gateway.CodeMethodNotAllowed)
	case !f.hostAllowed(c.Arrival.Host), !f.originAllowed(c.Header):
		return gateway.Fail(gateway.CodeForbiddenOrigin)
	case !isJSON(c.Header["Content-Type"]), !takesJSON(c.Header["Accept"]):
		return gateway.Fail(gateway.CodeMediaType)
	case c.Arrival.Length > int64(c.World.Limits.Body):
		return gateway.Fail(gateway.CodeTooLarge)
	}
	return nil
}

// hostAllowed guards against DNS rebinding: only loopback names and configured
// hosts are served.
func (f *Front) hostAllowed(host string) bool {
	host = strings.ToLower(host)
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if name == "localhost" || f.hosts[host] || f.hosts[name] {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && addr.IsLoopback()
}

// originAllowed refuses browsers unless their origin is configured. Hosts that
// are no browsers send neither header.
func (f *Front) originAllowed(h http.Header) bool {
	if origins, sent := h["Origin"]; sent {
		return len(origins) == 1 && f.origins[strings.ToLower(origins[0])]
	}
	site := h.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

func isJSON(contentType []string) bool {
	if len(contentType) != 1 {
		return false
	}
	mt, params, _ := strings.Cut(contentType[0], ";")
	if !strings.EqualFold(strings.TrimSpace(mt), "application/json") {
		return false
	}
	charset := strings.ToLower(strings.ReplaceAll(params, " ", ""))
	return charset == "" || charset == "charset=utf-8" || charset == `charset="utf-8"`
}

// takesJSON is lenient: a host must list both types, but one that takes JSON,
// or names nothing, is served.
func takesJSON(accept []string) bool {
	if len(accept) == 0 {
		return true
	}
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			mt, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(mt)) {
			case "application/json", "application/*", "*/*", "":
				return true
			}
		}
	}
	return false
}
