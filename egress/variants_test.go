package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-gateway/egress"
)

// zone returns a resolver whose server, on loopback, answers the first question of each type
// with the first list of addresses, and every later one with the last.
func zone(t *testing.T, answers ...[]netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var mu sync.Mutex
	asked := map[byte]int{}
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			query := buf[:n]
			out := answer(query, [4]byte{})
			out = out[:len(query)-additional(query)]
			kind := out[len(out)-3]
			mu.Lock()
			list := answers[min(asked[kind], len(answers)-1)]
			asked[kind]++
			mu.Unlock()
			out[7] = 0
			for _, a := range list {
				if a.Is4() != (kind == 1) {
					continue
				}
				raw := a.AsSlice()
				out[7]++
				out = append(out, 0xC0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
				out = append(out, raw...)
			}
			conn.WriteTo(out, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// additional returns how much of a query stands behind its question.
func additional(query []byte) int {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	return len(query) - end - 5
}

func addrs(list ...string) (out []netip.Addr) {
	for _, s := range list {
		out = append(out, addr(s))
	}
	return out
}

// Every way to write or to name an inner address, as a client meets it: none arrives, and what
// is refused is refused by the guard, or leads nowhere at all.
func TestVariantsOfInnerAddresses(t *testing.T) {
	var hits atomic.Int32
	_, port := server(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for name, c := range map[string]struct {
		host    string
		records []netip.Addr
	}{
		"mapped":               {"[::ffff:127.0.0.1]", nil},
		"mapped in hex":        {"[::ffff:7f00:1]", nil},
		"compatible":           {"[::127.0.0.1]", nil},
		"NAT64":                {"[64:ff9b::7f00:1]", nil},
		"local NAT64":          {"[64:ff9b:1::7f00:1]", nil},
		"6to4":                 {"[2002:7f00:1::]", nil},
		"Teredo":               {"[2001:0:7f00:1::80ff:fffe]", nil},
		"a zone":               {"[fe80::1%25lo]", nil},
		"a zone of loopback":   {"[::1%25lo]", nil},
		"unspecified":          {"0.0.0.0", nil},
		"unspecified of IPv6":  {"[::]", nil},
		"root dot":             {"localhost.", nil},
		"an address, root dot": {"127.0.0.1.", addrs("127.0.0.1")},
		"decimal":              {"2130706433", addrs("127.0.0.1")},
		"octal":                {"0177.0.0.1", addrs("127.0.0.1")},
		"hexadecimal":          {"0x7f000001", addrs("127.0.0.1")},
		"short":                {"127.1", addrs("127.0.0.1")},
		"a name":               {"evil.example", addrs("127.0.0.1")},
		"a name, root dot":     {"evil.example.", addrs("127.0.0.1")},
		"a name, mapped":       {"evil.example", addrs("::ffff:127.0.0.1")},
		"a name, NAT64":        {"evil.example", addrs("64:ff9b::7f00:1")},
		"a name, 6to4":         {"evil.example", addrs("2002:7f00:1::")},
		"a name, unspecified":  {"evil.example", addrs("0.0.0.0")},
		"a name, metadata":     {"evil.example", addrs("169.254.169.254")},
		"several records":      {"evil.example", addrs("192.168.0.7", "10.1.1.1", "127.0.0.1")},
		"of both families":     {"evil.example", addrs("fd00::7", "127.0.0.1")},
	} {
		client := egress.NewClient(egress.Options{Resolver: zone(t, c.records), AllowHosts: []string{"evil.example", "127.0.0.9"}})
		resp, err := client.Get("http://" + c.host + ":" + port + "/")
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, egress.ErrAddress) && !nowhere(err) {
			t.Errorf("%s: %v", name, err)
		}
		if c.records != nil && strings.HasPrefix(name, "a name") && !errors.Is(err, egress.ErrAddress) {
			t.Errorf("%s was not refused by the guard: %v", name, err)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests arrived", hits.Load())
	}
}

// nowhere reports whether the host is no name and no address.
func nowhere(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// What a name leads to is judged where it is dialled, each address by itself and each time
// anew: one that is allowed vouches for no other, and a name that was good once is not good.
func TestJudgedWhenDialled(t *testing.T) {
	var hits atomic.Int32
	_, port := server(t, func(w http.ResponseWriter, _ *http.Request) { hits.Add(1); w.Header().Set("Connection", "close") })
	one := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for _, c := range []struct {
		name    string
		answers [][]netip.Addr
		arrive  []bool
	}{
		{"allowed each time", [][]netip.Addr{addrs("127.0.0.1")}, []bool{true, true}},
		{"another at the second look", [][]netip.Addr{addrs("127.0.0.1"), addrs("127.0.0.2")}, []bool{true, false}},
		{"a refused one before one that is allowed", [][]netip.Addr{addrs("10.0.0.1", "127.0.0.1")}, []bool{true}},
		{"refused ones alone", [][]netip.Addr{addrs("127.0.0.3", "127.0.0.2")}, []bool{false}},
	} {
		client := egress.NewClient(egress.Options{Resolver: zone(t, c.answers...), AllowPrefixes: one})
		for i, want := range c.arrive {
			before := hits.Load()
			resp, err := client.Get("http://name.example:" + port + "/")
			if err == nil {
				resp.Body.Close()
			}
			if (err == nil) != want || (hits.Load() > before) != want || err != nil && !errors.Is(err, egress.ErrAddress) {
				t.Errorf("%s, call %d: %v", c.name, i, err)
			}
		}
	}
}
