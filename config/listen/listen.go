package listen

import (
	"net"
	"net/netip"
	"regexp"
	"strings"

	"mcp-gateway/config/form"
	"mcp-gateway/config/secret"
)

// Listen says where hosts reach the gateway.
type Listen struct {
	MCP     string   // host:port
	URL     string   // by which hosts reach the gateway, without a path; "" = unknown
	TLS     *TLS     // nil = plain HTTP
	Status  string   // host:port of health, metrics and status, on loopback; "" = nowhere
	Origins []string // browser origins let in, such as https://app.example
	Hosts   []string // further Host values accepted
}

// The words that a writer may choose. Each pattern is anchored: it is also the
// schema's.
var (
	addressPattern = regexp.MustCompile(`^[A-Za-z0-9.\-\[\]:]*:[0-9]{1,5}$`)
	basePattern    = regexp.MustCompile(`^https?://[A-Za-z0-9.\-\[\]:]+$`)
	originPattern  = regexp.MustCompile(`^https?://[a-z0-9.\-\[\]:]+$`)
	hostPattern    = regexp.MustCompile(`^[A-Za-z0-9.\-\[\]:]+$`)
)

// Form describes a Listen. Files resolves what it names.
func (l *Listen) Form(files *secret.Files) form.Value {
	return form.Object{Fields: []form.Field{
		{Key: "mcp", Doc: "Address host:port of /mcp and /mcp/{upstream}.", Value: Address(&l.MCP)},
		{Key: "url", Doc: "By which hosts reach the gateway, without a path, such as https://mcp.example; needed with auth.issuers unless listen.mcp is a port of loopback.", Value: Base(&l.URL, "https://mcp.example")},
		{Key: "tls", Doc: "The certificate that hosts see; plain HTTP where absent.", Value: form.Lazy(func() form.Value {
			l.TLS = new(TLS)
			return l.TLS.form(files)
		})},
		{Key: "status", Doc: "Address host:port of /livez, /readyz, /metrics and /status, on loopback; nowhere where absent.", Value: Address(&l.Status)},
		{Key: "origins", Doc: "Browser origins let in; none by default.", Value: list(&l.Origins, originPattern, "bad_origin", "origin such as https://app.example")},
		{Key: "hosts", Doc: "Further Host values accepted.", Value: list(&l.Hosts, hostPattern, "bad_host", "host name")},
	}}
}

// Address describes where something listens: host:port.
func Address(dst *string) form.Value {
	return form.Matching(dst, addressPattern, "bad_address", "address host:port")
}

// Base describes by which URL something is reached, without a path.
func Base(dst *string, example string) form.Value {
	return form.Matching(dst, basePattern, "bad_url", "URL without a path, such as "+example)
}

func list(dst *[]string, pattern *regexp.Regexp, code, want string) form.Value {
	return form.List(dst, func(s *string) form.Value { return form.Matching(s, pattern, code, want) })
}

// Settle fills in what follows from the rest: by which URL hosts on this machine
// reach the gateway, if that is all who can and the port is known.
func (l *Listen) Settle() {
	if l.URL != "" {
		return
	}
	host, port, err := net.SplitHostPort(l.MCP)
	if err == nil && Loopback(host) && port != "0" {
		l.URL = l.Scheme() + "://" + net.JoinHostPort(host, port)
	}
}

// Scheme is how hosts speak to listen.mcp: http or https.
func (l *Listen) Scheme() string {
	if l.TLS != nil {
		return "https"
	}
	return "http"
}

// Judge reports addresses that can't be listened on, or should not.
func (l *Listen) Judge(at form.Place) {
	if _, _, err := net.SplitHostPort(l.MCP); err != nil {
		at.Child("mcp").Report("bad_address", "wants an address host:port")
	}
	if l.Status == "" {
		return
	}
	if host, _, err := net.SplitHostPort(l.Status); err != nil || !Loopback(host) {
		at.Child("status").Report("status_not_loopback", "health, metrics and status are served on loopback only, such as 127.0.0.1:9464")
	}
}

// Local says whether only this machine reaches listen.mcp.
func (l *Listen) Local() bool {
	host, _, err := net.SplitHostPort(l.MCP)
	return err == nil && Loopback(host)
}

// Loopback judges a host as written: names other than localhost may mean anything by
// the time they are resolved.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
