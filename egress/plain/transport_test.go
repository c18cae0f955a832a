package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// peer is a server that answers as each test says, request by request.
type peer struct {
	url   string
	conns atomic.Int64
	asked atomic.Int64
}

// serve answers each connection by a function, which reads requests itself.
func serve(t *testing.T, each func(p *peer, c net.Conn, in *bufio.Reader)) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &peer{url: "http://" + listener.Addr().String() + "/mcp"}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			go func() {
				defer c.Close()
				each(p, c, bufio.NewReader(c))
			}()
		}
	}()
	return p
}

// request reads one whole request and returns its body; false at the end.
func (p *peer) request(in *bufio.Reader) (string, bool) {
	req, err := http.ReadRequest(in)
	if err != nil {
		return "", false
	}
	body, err := io.ReadAll(req.Body)
	p.asked.Add(1)
	return string(body), err == nil
}

// rest is what requests must not reach unless a test says so.
type rest struct{ asked atomic.Int64 }

func (r *rest) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked.Add(1)
	return nil, errRest
}

var errRest = errors.New("left to the rest")

func client(t *testing.T) (*Transport, *rest) {
	other := &rest{}
	tr := New(Options{
		Dial: (&net.Dialer{}).DialContext, Timeout: time.Minute, Head: 4 << 10, Idle: time.Minute, PerHost: 4, Rest: other,
	})
	t.Cleanup(tr.CloseIdleConnections)
	return tr, other
}

func post(ctx context.Context, url, body string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	return req
}

// say makes an exchange and returns the body of its answer.
func say(t *testing.T, tr *Transport, url, body string) (string, error) {
	t.Helper()
	resp, err := tr.RoundTrip(post(t.Context(), url, body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return string(got), err
}

func (t *Transport) idle() int {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	n := 0
	for _, idle := range t.pool.lines {
		n += len(idle)
	}
	return n
}

// Whatever form an answer has, it is read whole, and the connection is used again
// only where that is sound.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, answer, body string
		kept               bool
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", true},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "hi", true},
		{"nothing", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "", true},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
		{"until the end", "HTTP/1.1 200 OK\r\n\r\nhi", "hi", false},
		{"closing", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", "hi", false},
		{"of 1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", false},
		{"after news", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", true},
		{"with more than was asked for", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "hi", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
				for {
					if _, ok := p.request(in); !ok {
						return
					}
					io.WriteString(conn, c.answer)
					if !c.kept {
						return
					}
				}
			})
			tr, _ := client(t)
			for range 3 {
				if got, err := say(t, tr, p.url, "ask"); err != nil || got != c.body {
					t.Fatalf("%q, %v, want %q", got, err, c.body)
				}
			}
			if want := map[bool]int64{true: 1, false: 3}[c.kept]; p.conns.Load() != want {
				t.Errorf("%d connections, want %d", p.conns.Load(), want)
			}
		})
	}
}

// What is no answer is an error, and its connection is closed.
func TestWhatIsNoAnswer(t *testing.T) {
	for _, c := range []struct{ name, answer string }{
		{"silence", ""},
		{"other words", "SSH-2.0-x\r\n"},
		{"a head without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 1000)},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"},
		{"news without end", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20)},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi"},
		{"less than its length", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
				p.request(in)
				io.WriteString(conn, c.answer)
			})
			tr, _ := client(t)
			if got, err := say(t, tr, p.url, "ask"); err == nil {
				t.Errorf("%q is taken for an answer", got)
			}
			if p.asked.Load() != 1 || tr.idle() != 0 {
				t.Errorf("asked %d times, %d connections are kept", p.asked.Load(), tr.idle())
			}
		})
	}
}

// A server that let go of an idle connection is asked on another one, once.
func TestConnectionThatWentAway(t *testing.T) {
	gone := make(chan struct{}, 1)
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		p.request(in)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		conn.Close()
		gone <- struct{}{}
	})
	tr, _ := client(t)
	for n := range int64(5) {
		if got, err := say(t, tr, p.url, "ask"); err != nil || got != "hi" {
			t.Fatalf("%q, %v", got, err)
		}
		<-gone
		if p.asked.Load() != n+1 {
			t.Fatalf("asked %d times, want %d", p.asked.Load(), n+1)
		}
	}
}

// brittle is a connection that takes one request and then no more.
type brittle struct {
	*net.TCPConn
	writes int
}

func (b *brittle) Write(p []byte) (int, error) {
	if b.writes++; b.writes > 1 {
		return 0, errors.New("broken pipe")
	}
	return b.TCPConn.Write(p)
}

// What broke before any of a request was sent is made good by another connection,
// which gets the whole of it.
func TestConnectionThatBreaks(t *testing.T) {
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		for {
			body, ok := p.request(in)
			if !ok {
				return
			}
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	tr, _ := client(t)
	tr.opts.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &brittle{TCPConn: conn.(*net.TCPConn)}, nil
	}
	for n := range int64(3) {
		if got, err := say(t, tr, p.url, "ask"); err != nil || got != "ask" || p.conns.Load() != n+1 {
			t.Fatalf("%q, %v, %d connections", got, err, p.conns.Load())
		}
	}
	if p.asked.Load() != 3 {
		t.Errorf("asked %d times", p.asked.Load())
	}
}

// A request that may have been taken is never sent twice: the server closed the
// connection when it had read it.
func TestTakenRequestIsNotRepeated(t *testing.T) {
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		p.request(in)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		p.request(in)
	})
	tr, _ := client(t)
	if _, err := say(t, tr, p.url, "first"); err != nil {
		t.Fatal(err)
	}
	if got, err := say(t, tr, p.url, "second"); err == nil {
		t.Errorf("%q", got)
	}
	if p.asked.Load() != 2 || p.conns.Load() != 1 {
		t.Errorf("asked %d times over %d connections", p.asked.Load(), p.conns.Load())
	}
}

// The end of its context ends an exchange wherever it stands.
func TestContextEnds(t *testing.T) {
	for _, c := range []struct{ name, answer string }{
		{"before the head", ""}, {"within the head", "HTTP/1.1 200 OK\r\n"},
		{"within the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reached := make(chan struct{}, 1)
			p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
				p.request(in)
				io.WriteString(conn, c.answer)
				reached <- struct{}{}
				p.request(in) // until the connection is closed
			})
			tr, _ := client(t)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-reached
				cancel()
			}()
			resp, err := tr.RoundTrip(post(ctx, p.url, "ask"))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if !errors.Is(err, context.Canceled) || tr.idle() != 0 {
				t.Errorf("%v, %d connections are kept", err, tr.idle())
			}
		})
	}
}

func TestHeadHasItsTime(t *testing.T) {
	p := serve(t, func(p *peer, _ net.Conn, in *bufio.Reader) {
		p.request(in)
		p.request(in)
	})
	tr, _ := client(t)
	tr.opts.Timeout = time.Millisecond
	_, err := say(t, tr, p.url, "ask")
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("%v", err)
	}
}

// A body that is closed early takes its connection with it, also while another
// goroutine reads it.
func TestBodyClosedEarly(t *testing.T) {
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		p.request(in)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")
		p.request(in)
	})
	tr, _ := client(t)
	resp, err := tr.RoundTrip(post(t.Context(), p.url, "ask"))
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 2)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := resp.Body.Read(first)
		ended <- err
	}()
	resp.Body.Close()
	if err := <-ended; err == nil {
		t.Error("a closed body was read")
	}
	if tr.idle() != 0 {
		t.Errorf("%d connections are kept", tr.idle())
	}
}

// Many at once keep their answers apart, and no more connections than are wanted.
func TestManyAtOnce(t *testing.T) {
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		for {
			body, ok := p.request(in)
			if !ok {
				return
			}
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	tr, _ := client(t)
	var all sync.WaitGroup
	for who := range 16 {
		all.Go(func() {
			for n := range 50 {
				want := fmt.Sprintf("%d of %d %s", n, who, strings.Repeat("x", n*who*10))
				if got, err := say(t, tr, p.url, want); err != nil || got != want {
					t.Errorf("%.40q, %v, want %.40q", got, err, want)
				}
			}
		})
	}
	all.Wait()
	if n := tr.idle(); n < 1 || n > 4 {
		t.Errorf("%d connections are kept", n)
	}
	tr.CloseIdleConnections()
	if n := tr.idle(); n != 0 {
		t.Errorf("%d connections are kept after all were to be closed", n)
	}
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	closed := make(chan struct{})
	p := serve(t, func(p *peer, conn net.Conn, in *bufio.Reader) {
		p.request(in)
		io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		p.request(in)
		close(closed)
	})
	tr, _ := client(t)
	tr.pool.rest = time.Millisecond
	if _, err := say(t, tr, p.url, "ask"); err != nil {
		t.Fatal(err)
	}
	<-closed
}

// What a http.Transport does better, or alone, is left to it.
func TestLeftToTheRest(t *testing.T) {
	tr, other := client(t)
	change := map[string]func(*http.Request){
		"TLS":               func(r *http.Request) { r.URL.Scheme = "https" },
		"no POST":           func(r *http.Request) { r.Method = http.MethodGet },
		"unknown length":    func(r *http.Request) { r.ContentLength = -1 },
		"a large body":      func(r *http.Request) { r.ContentLength = maxBody + 1 },
		"its own encoding":  func(r *http.Request) { r.Header.Del("Accept-Encoding") },
		"an expectation":    func(r *http.Request) { r.Header.Set("Expect", "100-continue") },
		"trailers":          func(r *http.Request) { r.Trailer = http.Header{"X": nil} },
		"a body once":       func(r *http.Request) { r.GetBody = nil },
		"a bad name":        func(r *http.Request) { r.Header["X Y"] = []string{"z"} },
		"a bad value":       func(r *http.Request) { r.Header["X"] = []string{"a\r\nb: c"} },
		"no host":           func(r *http.Request) { r.URL.Host = "" },
		"a host of letters": func(r *http.Request) { r.URL.Host = "bücher.example" },
	}
	for name, change := range change {
		req := post(t.Context(), "http://127.0.0.1:1/", "ask")
		change(req)
		before := other.asked.Load()
		if _, err := tr.RoundTrip(req); !errors.Is(err, errRest) || other.asked.Load() != before+1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDialFails(t *testing.T) {
	tr, _ := client(t)
	refused := errors.New("refused")
	tr.opts.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, refused }
	if _, err := say(t, tr, "http://127.0.0.1/", "ask"); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
}
