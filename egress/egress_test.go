package egress_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func TestSpecialAddressesAreRefused(t *testing.T) {
	g := egress.NewGuard(nil, nil)
	for _, s := range []string{
		"127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1",
		"100.64.0.1", "100.100.100.200", "100.127.255.255", "169.254.169.254", "169.254.170.2", "168.63.129.16",
		"0.0.0.0", "0.1.2.3", "192.0.0.192", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1",
		"198.18.0.1", "198.19.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b:1::1",
		"fc00::1", "fd00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
		"100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
	} {
		if err := g.Judge("name.example", addr(s)); !errors.Is(err, egress.ErrAddress) {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := g.Judge("name.example", netip.Addr{}); !errors.Is(err, egress.ErrAddress) {
		t.Errorf("the zero address: %v", err)
	}
}

func TestPublicAddressesAreAllowed(t *testing.T) {
	g := egress.NewGuard(nil, nil)
	for _, s := range []string{"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "169.253.0.1",
		"198.17.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"} {
		if err := g.Judge("name.example", addr(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestWhatAConfiguredHostAllows(t *testing.T) {
	g := egress.NewGuard([]string{"127.0.0.1", "[::1]", "LOCALHOST.", "tracker.internal"}, []netip.Prefix{netip.MustParsePrefix("10.9.8.7/16")})
	for _, c := range []struct {
		host, addr string
		allowed    bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "127.0.0.2", false},
		{"::1", "::1", true},
		{"localhost", "127.0.0.1", true},
		{"localhost", "::1", true},
		{"localhost", "10.0.0.1", false},              // localhost that is not
		{"evil.example", "127.0.0.1", false},          // rebinding: another name leads to an allowed address
		{"tracker.internal", "127.0.0.1", false},      // a name says nothing about where it leads
		{"tracker.internal", "192.168.1.1", false},    // …
		{"tracker.internal", "10.9.1.1", true},        // … a prefix does
		{"evil.example", "10.9.1.1", true},            //
		{"evil.example", "::ffff:10.9.1.1", true},     // in every form
		{"evil.example", "64:ff9b::10.9.1.1", true},   //
		{"evil.example", "10.10.1.1", false},          //
		{"169.254.169.254", "169.254.169.254", false}, // a literal that is not configured
		{"127.0.0.1", "::ffff:127.0.0.1", true},       // the same address
		{"127.0.0.1", "64:ff9b::127.0.0.1", true},     //
		{"127.0.0.1.example", "127.0.0.1", false},     //
		{"sub.localhost", "127.0.0.1", false},         //
	} {
		err := g.Judge(c.host, addr(c.addr))
		if (err == nil) != c.allowed {
			t.Errorf("%s at %s: %v", c.host, c.addr, err)
		}
	}
}

func server(t *testing.T, h http.HandlerFunc) (url, port string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return s.URL, port
}

func TestClientRefusesLoopbackUnlessConfigured(t *testing.T) {
	var hits atomic.Int32
	url, port := server(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	strict := egress.NewClient(egress.Options{})
	for _, u := range []string{url, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://0.0.0.0:" + port} {
		if _, err := strict.Get(u); !errors.Is(err, egress.ErrAddress) {
			t.Errorf("%s: %v", u, err)
		}
	}
	if hits.Load() != 0 {
		t.Fatal("a refused request arrived")
	}
	allowed := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1", "localhost"}})
	for _, u := range []string{url, "http://localhost:" + port} {
		resp, err := allowed.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	byPrefix := egress.NewClient(egress.Options{AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	resp, err := byPrefix.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if hits.Load() != 3 {
		t.Errorf("%d requests arrived", hits.Load())
	}
}

// A name of a third party's DNS leads to our loopback: the address that is
// really dialled is judged, whatever the name.
func TestNameThatResolvesToLoopbackIsRefused(t *testing.T) {
	var hits atomic.Int32
	_, port := server(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	dns := resolver(t, [4]byte{127, 0, 0, 1})
	strict := egress.NewClient(egress.Options{Resolver: dns, AllowHosts: []string{"rebind.example", "127.0.0.1"}})
	if _, err := strict.Get("http://rebind.example:" + port); !errors.Is(err, egress.ErrAddress) || hits.Load() != 0 {
		t.Fatalf("%v, %d hits", err, hits.Load())
	}
	// The same name arrives once the range is allowed, so the refusal above was the guard's.
	open := egress.NewClient(egress.Options{Resolver: dns, AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	resp, err := open.Get("http://rebind.example:" + port)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if hits.Load() != 1 {
		t.Errorf("%d hits", hits.Load())
	}
}

// resolver returns one that asks a real DNS server on loopback, which answers
// every A question with ip and every other one with nothing.
func resolver(t *testing.T, ip [4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			conn.WriteTo(answer(buf[:n], ip), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answer builds a DNS response (RFC 1035) to a query with one question.
func answer(query []byte, ip [4]byte) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root label, type and class
	isA := query[end-3] == 1
	out := append([]byte{}, query[:end]...)
	out[2], out[3] = 0x81, 0x80 // a response, recursion available
	copy(out[6:12], []byte{0, 0, 0, 0, 0, 0})
	if isA {
		out[7] = 1
		out = append(out, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ip[0], ip[1], ip[2], ip[3])
	}
	return out
}

func TestRedirectsAreReturnedNotFollowed(t *testing.T) {
	var followed atomic.Bool
	target, _ := server(t, func(http.ResponseWriter, *http.Request) { followed.Store(true) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		url, _ := server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
		client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}})
		resp, err := client.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status || followed.Load() {
			t.Errorf("status %d, followed %v", resp.StatusCode, followed.Load())
		}
	}
}

func TestProxyEnvironmentIsIgnored(t *testing.T) {
	var proxied atomic.Bool
	proxy, _ := server(t, func(http.ResponseWriter, *http.Request) { proxied.Store(true) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		t.Setenv(name, proxy)
	}
	client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}, Resolver: resolver(t, [4]byte{127, 0, 0, 1})})
	for _, scheme := range []string{"http", "https"} {
		_, err := client.Get(scheme + "://name.example/")
		if !errors.Is(err, egress.ErrAddress) || proxied.Load() {
			t.Errorf("%s: %v, proxied %v", scheme, err, proxied.Load())
		}
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: version}
		s.Config.ErrorLog = nil
		s.StartTLS()
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}})
		resp, err := client.Get(s.URL)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != (version >= tls.VersionTLS12) {
			t.Errorf("version %x: %v", version, err)
		}
		s.Close()
	}
}

func TestSilentServerTimesOut(t *testing.T) {
	release := make(chan struct{})
	url, _ := server(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}, Timeout: 50 * time.Millisecond})
	_, err := client.Get(url)
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("%v", err)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}})
	for range 20 {
		resp, err := client.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := egress.ReadBody(resp.Body, 100); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 20 requests", n)
	}
}

// A body is whole, or refused, and pieces that were used before leave nothing in it.
func TestBodies(t *testing.T) {
	var b egress.Bodies
	asked := 0
	large := func() error { asked++; return nil }
	for _, size := range []int{0, 1, 100, 64<<10 - 1, 64 << 10, 64<<10 + 1, egress.LargeBody, egress.LargeBody + 1, 1 << 20} {
		want := strings.Repeat(string(rune('a'+size%23)), size)
		for name, r := range map[string]io.Reader{"at once": strings.NewReader(want), "byte by byte": iotest.HalfReader(strings.NewReader(want)), "end with the data": iotest.DataErrReader(strings.NewReader(want))} {
			asked = 0
			body, came, _, err := b.Read(r, 1<<20, large)
			if err != nil || string(body) != want || came != size {
				t.Errorf("%d %s: %d bytes of %d, %v", size, name, len(body), came, err)
			}
			if once := size > egress.LargeBody; (asked == 1) != once && size != egress.LargeBody {
				t.Errorf("%d %s: asked %d times", size, name, asked)
			}
		}
		body, came, _, err := b.Read(strings.NewReader(want), size-1, nil)
		if e, ok := errors.AsType[*gateway.Error](err); size > 0 && (!ok || e.Code != gateway.CodeTooLarge || body != nil || came < size) {
			t.Errorf("%d of one less: %d bytes, %v", size, len(body), err)
		}
	}
	broken := errors.New("broken")
	for name, r := range map[string]io.Reader{
		"broken": io.MultiReader(strings.NewReader("begun"), iotest.ErrReader(broken)), "cut off": io.MultiReader(strings.NewReader("begun"), iotest.ErrReader(io.ErrUnexpectedEOF)),
	} {
		if body, came, _, err := b.Read(r, 100, nil); err == nil || body != nil || came != 5 {
			t.Errorf("%s: %d bytes, %v", name, len(body), err)
		}
	}
	if _, _, _, err := b.Read(bytes.NewReader(make([]byte, 1<<20)), 2<<20, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("refused: %v", err)
	}
}

func BenchmarkBodies(b *testing.B) {
	var bodies egress.Bodies
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			text := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _, spent, err := bodies.Read(bytes.NewReader(text), size, nil)
				if spent != nil {
					spent()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestReadBody(t *testing.T) {
	for _, c := range []struct{ size, limit int }{{0, 0}, {0, 10}, {10, 10}, {9, 10}, {4096, 4096}} {
		body, err := egress.ReadBody(strings.NewReader(strings.Repeat("x", c.size)), c.limit)
		if err != nil || len(body) != c.size {
			t.Errorf("%+v: %d bytes, %v", c, len(body), err)
		}
	}
	for _, c := range []struct{ size, limit int }{{1, 0}, {11, 10}, {1 << 20, 10}, {1, -5}} {
		body, err := egress.ReadBody(strings.NewReader(strings.Repeat("x", c.size)), c.limit)
		e, ok := errors.AsType[*gateway.Error](err)
		if !ok || e.Code != gateway.CodeTooLarge || body != nil {
			t.Errorf("%+v: %d bytes, %v", c, len(body), err)
		}
	}
	broken := errors.New("broken")
	if _, err := egress.ReadBody(iotest.ErrReader(broken), 10); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// A server that never ends its body costs the limit and no more.
func TestReadBodyStopsAnEndlessAnswer(t *testing.T) {
	url, _ := server(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 4096)
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	resp, err := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, err = egress.ReadBody(resp.Body, 1<<16)
	if e, ok := errors.AsType[*gateway.Error](err); !ok || e.Code != gateway.CodeTooLarge {
		t.Errorf("%v", err)
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "8.8.8.8", "fe80::1%lo"} {
		f.Add("host", s)
	}
	g := egress.NewGuard([]string{"127.0.0.1"}, nil)
	f.Fuzz(func(t *testing.T, host, s string) {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return
		}
		u := a.WithZone("").Unmap()
		special := u.IsLoopback() || u.IsPrivate() || u.IsLinkLocalUnicast() || u.IsMulticast() || u.IsUnspecified()
		if g.Judge("x"+host, a) == nil && special {
			t.Errorf("%s allowed", a)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	g := egress.NewGuard([]string{"127.0.0.1"}, nil)
	for _, s := range []string{"8.8.8.8", "127.0.0.1", "2606:4700::1111"} {
		b.Run(s, func(b *testing.B) {
			a := addr(s)
			b.ReportAllocs()
			for b.Loop() {
				if err := g.Judge("127.0.0.1", a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
