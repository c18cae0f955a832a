package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// ErrAddress is the cause of a connection that the guard refused.
var ErrAddress = errors.New("address is not allowed for outgoing connections")

// refusedPrefixes are the ranges that a third party's name must never lead to,
// from the IANA special-purpose registries (RFC 6890 and updates), and the
// addresses at which clouds serve credentials to their machines.
var refusedPrefixes = []struct {
	prefix netip.Prefix
	class  string
}{
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-grade NAT"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local or metadata"},
	{netip.MustParsePrefix("168.63.129.16/32"), "metadata"},
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignment"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved or broadcast"},

	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("::/96"), "unspecified or IPv4-compatible"},
	{netip.MustParsePrefix("fc00::/7"), "unique local or metadata"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local NAT64"},
	{netip.MustParsePrefix("100::/64"), "discard only"},
	{netip.MustParsePrefix("2001::/23"), "protocol assignment or Teredo"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing"},
}

// nat64 is the well-known prefix whose last 32 bits are an IPv4 address (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Guard judges the addresses that are really dialled, after resolution, so a
// name that resolves elsewhere on the second look gains nothing.
type Guard struct {
	hosts    []string
	prefixes []netip.Prefix
}

// NewGuard returns a guard that refuses every special-purpose address, except:
// an IP address that hosts holds in this form is allowed when it is what was
// asked for; "localhost" in hosts allows loopback for that name; prefixes allow
// whatever lies in them, by any name. Another name in hosts allows nothing: a
// name says nothing about where it leads.
func NewGuard(hosts []string, prefixes []netip.Prefix) *Guard {
	g := &Guard{}
	for _, h := range hosts {
		g.hosts = append(g.hosts, bareHost(h))
	}
	for _, p := range prefixes {
		g.prefixes = append(g.prefixes, p.Masked())
	}
	return g
}

// Grantable says why a range may not be let through by NewGuard, or nil: none at
// which machines get credentials or that leads to nobody, however it is written.
func Grantable(p netip.Prefix) error {
	never := []netip.Prefix{
		netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"),
		netip.MustParsePrefix("168.63.129.16/32"), netip.MustParsePrefix("100.100.100.200/32"),
		netip.MustParsePrefix("fd00:ec2::254/128"), netip.MustParsePrefix("fd20:ce::254/128"),
		netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("ff00::/8"), netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("::ffff:0:0/96"), nat64,
	}
	for _, n := range never {
		if p.Overlaps(n) {
			return fmt.Errorf("%w: %s holds addresses of %s, which are never reached", ErrAddress, p, n)
		}
	}
	return nil
}

// Judge returns nil if a connection that was asked for by host may be made to
// addr, else an error that wraps ErrAddress and names the class of addr.
func (g *Guard) Judge(host string, addr netip.Addr) error {
	real := embedded(addr)
	for _, p := range g.prefixes {
		if p.Contains(real) {
			return nil
		}
	}
	class := classOf(real)
	if class == "" {
		return nil
	}
	if host = bareHost(host); slices.Contains(g.hosts, host) {
		literal, err := netip.ParseAddr(host)
		if err == nil && embedded(literal) == real || host == "localhost" && real.IsLoopback() {
			return nil
		}
	}
	return fmt.Errorf("%w: %s (%s)", ErrAddress, addr, class)
}

// control returns a hook for net.Dialer that judges each address just before
// the socket connects to it.
func (g *Guard) control(host string) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: not an IP address and port", ErrAddress)
		}
		return g.Judge(host, to.Addr())
	}
}

// dialer returns a dial function for http.Transport.
func (g *Guard) dialer(base net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("%w: no host and port", ErrAddress)
		}
		d := base
		d.ControlContext = g.control(host)
		return d.DialContext(ctx, network, address)
	}
}

// embedded returns the address that traffic to addr reaches in the end: the
// IPv4 address inside an IPv4-mapped or NAT64 one, and no zone.
func embedded(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

func classOf(addr netip.Addr) string {
	if !addr.IsValid() {
		return "no address"
	}
	for _, r := range refusedPrefixes {
		if r.prefix.Contains(addr) {
			return r.class
		}
	}
	return ""
}

// bareHost lower-cases a host and drops brackets and a root dot.
func bareHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
