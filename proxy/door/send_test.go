package door_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-gateway/proxy/door"
)

// body of n bytes in parts of some size, the first of them apart.
func inParts(n, each int) (first []byte, rest [][]byte, whole string) {
	text := strings.Repeat("0123456789abcdef", n/16+1)[:n]
	for left := text; ; {
		k := min(each, len(left))
		rest, left = append(rest, []byte(left[:k])), left[k:]
		if left == "" {
			return rest[0], rest[1:], text
		}
	}
}

// What is sent in parts arrives as one body, whatever its size and the parts', over
// plain connections and over TLS, and what comes next on the connection is whole too.
func TestSend(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		each, _ := strconv.Atoi(r.URL.Query().Get("each"))
		if n == 0 {
			_, _ = io.WriteString(w, "plain")
			return
		}
		first, rest, _ := inParts(n, each)
		w.Header().Set("Content-Length", strconv.Itoa(n))
		if err := door.Send(w, r, first, rest); err != nil {
			t.Error(err)
		}
		if text := string(first) + string(bytes.Join(rest, nil)); len(text) != n {
			t.Errorf("the parts of %d bytes were changed", n)
		}
	})
	pair := httptest.NewTLSServer(handler)
	defer pair.Close()
	for name, secure := range map[string]*tls.Config{"plain": nil, "tls": pair.TLS} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, handler, secure)
			in := bufio.NewReader(c)
			for _, n := range []int{1, 511, 512, 513, 2048, 4096, 5000, 70_000, 3 << 20} {
				for _, each := range []int{1, 7, 300, 4096, 1 << 30} {
					if n/each > 1200 {
						continue
					}
					_, _, want := inParts(n, each)
					if got := ask(t, c, in, "?n="+strconv.Itoa(n)+"&each="+strconv.Itoa(each)); got != want {
						t.Fatalf("%d bytes in parts of %d: %d bytes arrived", n, each, len(got))
					}
				}
				if got := ask(t, c, in, ""); got != "plain" {
					t.Fatalf("behind %d bytes: %q", n, got)
				}
			}
		})
	}
}

// A host that leaves before it has read all is an error, and nothing else.
func TestSendToNobody(t *testing.T) {
	failed := make(chan error, 1)
	c := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := make([]byte, 1<<20)
		w.Header().Set("Content-Length", strconv.Itoa(64<<20))
		failed <- door.Send(w, r, part, slices.Repeat([][]byte{part}, 63))
	}), nil)
	if _, err := io.WriteString(c, "GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if err := <-failed; err == nil {
		t.Error("64 MiB were sent to nobody")
	}
}

// Elsewhere than on a connection of Serve it is so many writes.
func TestSendElsewhere(t *testing.T) {
	w := httptest.NewRecorder()
	if err := door.Send(w, httptest.NewRequest(http.MethodPost, "/mcp", nil), []byte("a"), [][]byte{[]byte("b"), nil, []byte("c")}); err != nil || w.Body.String() != "abc" {
		t.Errorf("%q, %v", w.Body, err)
	}
}

// connect serves a handler and dials it.
func connect(t *testing.T, h http.Handler, secure *tls.Config) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	on := listener
	if secure != nil {
		on = tls.NewListener(listener, &tls.Config{Certificates: secure.Certificates, NextProtos: []string{"http/1.1"}})
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(server, on) }()
	t.Cleanup(func() {
		if err := errors.Join(server.Close(), <-ended); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	c := dial(t, listener.Addr().String())
	if secure != nil {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	}
	return c
}

func ask(t *testing.T, c net.Conn, in *bufio.Reader, query string) string {
	t.Helper()
	if _, err := io.WriteString(c, "GET /mcp"+query+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
