package methods

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// A body that breaks off, or comes in chunks that are none, is answered, in both
// eras, by what is wrong with it, and is on record so; one that is packed is refused
// unread, and counted.
func TestBrokenBodies(t *testing.T) {
	s, _ := open(t, "")
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	eras := map[string]*stage.Request{
		"modern": request(s.Host("alice"), protocol.MethodToolsCall, `"name":"up__ask"`),
		"legacy": legacy(protocol.MethodToolsCall, `"name":"up__ask"`),
	}
	s.Events(t)
	for name, tc := range map[string]struct {
		header, body string
		status       int
		code         gateway.Code
	}{
		"breaks off":         {"Content-Length: 400", `{"jsonrpc":`, 400, gateway.CodeMalformed},
		"negative chunk":     {"Transfer-Encoding: chunked", "-1\r\n{}\r\n0\r\n\r\n", 400, gateway.CodeMalformed},
		"endless extension":  {"Transfer-Encoding: chunked", "2;" + strings.Repeat("x", 9000) + "\r\n{}\r\n0\r\n\r\n", 400, gateway.CodeMalformed},
		"chunk without end":  {"Transfer-Encoding: chunked", "2\r\n{}xx0\r\n\r\n", 400, gateway.CodeMalformed},
		"packed":             {"Content-Encoding: gzip\r\nContent-Length: 2", "{}", 415, gateway.CodeMediaType},
		"packed, and plain":  {"Content-Encoding: gzip, identity\r\nContent-Length: 2", "{}", 415, gateway.CodeMediaType},
		"two lengths":        {"Transfer-Encoding: chunked\r\nContent-Length: 2", "2\r\n{}\r\n0\r\n\r\n", 400, gateway.CodeMalformed},
		"chunks of one kind": {"Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n", 400, gateway.CodeMalformed},
	} {
		for era, r := range eras {
			status, body := raw(t, r, tc.header, tc.body)
			rows := s.Events(t)
			if status != tc.status || !strings.Contains(body, string(tc.code)) || tc.status == 400 && (len(rows) != 1 || rows[0].Code != tc.code) {
				t.Errorf("%s, %s: %d %q, on record as %+v", name, era, status, body, rows)
			}
		}
	}
}

// raw sends the headers of a request with others, and a body as it is, and no more.
func raw(t *testing.T, r *stage.Request, header, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(r.Verb, r.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", req.URL.Path, req.URL.Host)
	if err := r.Header.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, b.String()+header+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	_ = c.(*net.TCPConn).CloseWrite() // it may be answered and over already
	resp, err := http.ReadResponse(bufio.NewReader(c), req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(said)
}
