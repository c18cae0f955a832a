package door_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/door"
)

// reading answers with the code of what reading a body gave; a path of /unread leaves
// the body alone.
func reading(w http.ResponseWriter, r *http.Request) {
	a := door.Arrival(w, r, audit.Modern)
	if r.URL.Path == "/unread" {
		return
	}
	body, err := a.Body(1 << 20)
	var e *gateway.Error
	if errors.As(err, &e) {
		w.Header().Set("X-Code", string(e.Code))
	}
	_, _ = w.Write(body)
}

const (
	chunks  = "Transfer-Encoding: chunked\r\n"
	hello   = "\r\n5\r\nhello\r\n0\r\n\r\n"
	post    = "POST /mcp HTTP/1.1\r\nHost: x\r\n"
	refused = string(gateway.CodeMalformed)
)

// A request that says twice how long it is is refused, and its connection ends.
func TestTwoLengths(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(reading), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(server, listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	for name, tc := range map[string]struct {
		send string   // all in one
		want []string // of each answer, its code or its body
	}{
		"chunks":                       {post + chunks + hello, []string{"hello"}},
		"a length":                     {post + "Content-Length: 5\r\n\r\nhello", []string{"hello"}},
		"both":                         {post + chunks + "Content-Length: 5\r\n" + hello, []string{refused}},
		"both, the length first":       {post + "Content-Length: 5\r\n" + chunks + hello, []string{refused}},
		"a length of nothing":          {post + chunks + "Content-Length: 0\r\n" + hello, []string{refused}},
		"in other cases":               {post + "TRANSFER-encoding: chunked\r\ncOnTeNt-LeNgTh:5\r\n" + hello, []string{refused}},
		"line feeds alone":             {strings.ReplaceAll(post+chunks+"Content-Length: 5\r\n", "\r\n", "\n") + "\n" + hello[2:], []string{refused}},
		"behind a long header":         {post + "X: " + strings.Repeat("x", 9000) + "\r\n" + chunks + "Content-Length: 5\r\n" + hello, []string{refused}},
		"twice the same length":        {post + chunks + "Content-Length: 5\r\nContent-Length: 5\r\n" + hello, []string{refused}},
		"names that are longer":        {post + chunks + "Content-Lengths: 5\r\nX-Content-Length: 5\r\nContent: length: 5\r\n" + hello, []string{"hello"}},
		"a body that says it":          {post + chunks + "\r\n1b\r\nContent-Length: 5\r\n\r\nhello\n\r\n0\r\n\r\n", []string{"Content-Length: 5\r\n\r\nhello\n"}},
		"a trailer that says it":       {post + chunks + "\r\n5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n", []string{"hello"}},
		"what follows on is not read":  {post + chunks + "Content-Length: 5\r\n" + hello + post + "Content-Length: 1\r\n\r\nx", []string{refused}},
		"chunks sent ahead of answers": {post + "Content-Length: 1\r\n\r\nx" + post + chunks + hello, []string{"x", refused}},
	} {
		t.Run(name, func(t *testing.T) {
			got, open := answers(t, listener.Addr().String(), tc.send, len(tc.want))
			if strings.Join(got, "|") != strings.Join(tc.want, "|") {
				t.Errorf("answered %q, want %q", got, tc.want)
			}
			if last := got[len(got)-1]; open == (last == refused) {
				t.Errorf("the connection stays open: %t", open)
			}
		})
	}
	// One connection, one request after the other, the first of them left unread.
	c := dial(t, listener.Addr().String())
	in := bufio.NewReader(c)
	for _, tc := range [][2]string{
		{strings.Replace(post, "/mcp", "/unread", 1) + "Content-Length: 25\r\n\r\nContent-Length: 5\r\n\r\n\r\n\r\n", ""},
		{post + chunks + hello, "hello"}, {post + "Content-Length: 2\r\n\r\nhi", "hi"}, {post + chunks + hello, "hello"},
		{strings.Replace(post, "/mcp", "/unread", 1) + chunks + hello, ""}, {post + chunks + "Content-Length: 5\r\n" + hello, refused},
	} {
		if got, _ := answer(t, c, in, tc[0]); got != tc[1] {
			t.Errorf("%q: %q, want %q", tc[0], got, tc[1])
		}
	}
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// answers sends text on a connection of its own and returns that many answers, and
// whether the connection is open after them.
func answers(t *testing.T, addr, text string, n int) (got []string, open bool) {
	t.Helper()
	c := dial(t, addr)
	in := bufio.NewReader(c)
	for range n {
		var a string
		a, open = answer(t, c, in, text)
		got, text = append(got, a), ""
	}
	return got, open
}

func answer(t *testing.T, c net.Conn, in *bufio.Reader, text string) (got string, open bool) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Get("X-Code") + string(body), !resp.Close
}

// one is a listener for one connection.
type one chan net.Conn

func (l one) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l one) Close() error   { close(l); return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// A host that stalls in the middle of its request, or sends a byte now and then, is
// answered once its time is over, and its connection ends.
func TestStalledBodies(t *testing.T) {
	for name, tc := range map[string]struct {
		header string
		every  time.Duration // 0 = never
	}{
		"nothing comes":    {"Content-Length: 400\r\n\r\n", 0},
		"a byte a second":  {"Content-Length: 400\r\n\r\n", time.Second},
		"chunks of a byte": {chunks + "\r\n", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host, gw := net.Pipe()
				listener := make(one, 1)
				listener <- gw
				server := &http.Server{Handler: http.HandlerFunc(reading), ReadHeaderTimeout: time.Minute}
				ended := make(chan error, 1)
				go func() { ended <- door.Serve(server, listener) }()
				ctx, stop := context.WithCancel(t.Context())
				go drip(ctx, host, tc.header, tc.every)
				begun := time.Now()
				resp, err := http.ReadResponse(bufio.NewReader(host), nil)
				if err != nil {
					t.Fatal(err)
				}
				if code := resp.Header.Get("X-Code"); code != string(gateway.CodeRequestTimeout) || time.Since(begun) != 30*time.Second || !resp.Close {
					t.Errorf("%q after %v, the connection ends: %t", code, time.Since(begun), resp.Close)
				}
				stop()
				_ = host.Close()
				_ = server.Close()
				<-ended
			})
		})
	}
}

// drip sends a header, and then a byte or a chunk at a time.
func drip(ctx context.Context, c io.Writer, header string, every time.Duration) {
	piece := "x"
	if strings.HasPrefix(header, chunks) {
		piece = "1\r\nx\r\n"
	}
	_, err := io.WriteString(c, post+header)
	for err == nil && every > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
			_, err = io.WriteString(c, piece)
		}
	}
}

// What a server was given is served as before where nobody watches its connections.
func TestOneLengthWithoutServe(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, door.Path, strings.NewReader("hello"))
	r.TransferEncoding = []string{"chunked"}
	body, err := door.Arrival(httptest.NewRecorder(), r, audit.Modern).Body(10)
	if err != nil || string(body) != "hello" {
		t.Errorf("%q, %v", body, err)
	}
}
