package door

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
)

// Policy says from where the gateway may be reached. It is never written after
// NewPolicy.
type Policy struct {
	origins map[string]bool
	hosts   map[string]bool
}

// NewPolicy returns the policy that admits browsers from origins, none by
// default, and serves under loopback names and under hosts, with or without port.
func NewPolicy(origins, hosts []string) *Policy {
	return &Policy{origins: set(origins), hosts: set(hosts)}
}

func set(values []string) map[string]bool {
	m := make(map[string]bool, len(values))
	for _, v := range values {
		m[strings.ToLower(v)] = true
	}
	return m
}

// Admit judges Host and Origin (2026-07-28, Streamable HTTP, Security & Endpoint).
func (p *Policy) Admit(c *proxy.Call) error {
	if !p.hostAllowed(c.Arrival.Host) || !p.originAllowed(c.Header, c.Arrival.Host) {
		return gateway.Fail(gateway.CodeForbiddenOrigin)
	}
	return nil
}

// AdmitPost judges all of a POST that can be judged from its headers: whence it
// comes, media types, and a length that is over the limit already.
func (p *Policy) AdmitPost(c *proxy.Call) error {
	if err := p.Admit(c); err != nil {
		return err
	}
	switch {
	case !isJSON(c.Header["Content-Type"]), encoded(c.Header["Content-Encoding"]):
		return gateway.Fail(gateway.CodeMediaType)
	case !Takes(c.Header["Accept"], "application/json"):
		return gateway.Fail(gateway.CodeNotAcceptable)
	case c.Arrival.Length > int64(c.World.Limits.Body):
		return gateway.Fail(gateway.CodeTooLarge)
	}
	return nil
}

// encoded reports whether a body is anything but what its octets say (RFC 9110,
// 8.4): nothing is unpacked here, so that the limit of a body holds for what it says.
func encoded(codings []string) bool {
	for _, coding := range codings {
		if !strings.EqualFold(strings.TrimSpace(coding), "identity") {
			return true
		}
	}
	return false
}

// hostAllowed guards against DNS rebinding: only loopback names and configured
// hosts are served.
func (p *Policy) hostAllowed(host string) bool {
	host = strings.ToLower(host)
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return false
		}
		name = h
	}
	if name == "localhost" || p.hosts[host] || p.hosts[name] {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && addr.IsLoopback()
}

// originAllowed refuses browsers unless their origin is configured or is where
// the request goes: host was judged before, so nobody else serves pages from
// there. Hosts that are no browsers send neither header.
func (p *Policy) originAllowed(h http.Header, host string) bool {
	if origins, sent := h["Origin"]; sent {
		if len(origins) != 1 {
			return false
		}
		origin := strings.ToLower(origins[0])
		scheme, from, _ := strings.Cut(origin, "://")
		own := from == strings.ToLower(host) && (scheme == "http" || scheme == "https")
		return own || p.origins[origin]
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
	charset := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(params, " ", ""), "\t", ""))
	return charset == "" || charset == "charset=utf-8" || charset == `charset="utf-8"`
}

// Takes says whether an Accept header admits a media type (RFC 9110, 12.5.1): the most
// specific range that covers it says so, and one of weight 0 says that it does not. It is
// lenient: a host must list JSON and event streams, but one that names nothing takes all.
func Takes(accept []string, mediaType string) bool {
	if len(accept) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	best, takes := 0, false
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			mt, params, _ := strings.Cut(part, ";")
			rank := 0
			switch strings.ToLower(strings.TrimSpace(mt)) {
			case mediaType:
				rank = 3
			case kind + "/*":
				rank = 2
			case "*/*", "":
				rank = 1
			}
			if rank > best {
				best, takes = rank, !weightless(params)
			}
		}
	}
	return takes
}

// weightless reports whether parameters of a media range give it the weight 0.
func weightless(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return value != "" && strings.Trim(value, "0.") == ""
		}
	}
	return false
}
