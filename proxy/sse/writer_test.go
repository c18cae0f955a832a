package sse_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/sse"
)

// serve answers one request by do, and returns what a host reads.
func serve(t *testing.T, do func(x *sse.Writer)) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(sse.NewWriter(w, r)) }))
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(bufio.NewReader(resp.Body))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestNothingElseToSayIsOneBody(t *testing.T) {
	resp, body := serve(t, func(x *sse.Writer) {
		x.Answer(&proxy.Call{}, proxy.Answer{Status: 200, Body: []byte(`{"a":1}`)})
	})
	if body != `{"a":1}` || resp.Header.Get("Content-Type") != "application/json" || resp.ContentLength != 7 {
		t.Errorf("%v %q", resp.Header, body)
	}
	resp, body = serve(t, func(x *sse.Writer) { x.Answer(&proxy.Call{}, proxy.Answer{Status: 202}) })
	if resp.StatusCode != 202 || body != "" {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
}

func TestOnceAnythingWasSaidTheAnswerIsAnEvent(t *testing.T) {
	resp, body := serve(t, func(x *sse.Writer) {
		if err := x.Event([]byte("{\"n\":\n1.10}")); err != nil {
			t.Error(err)
		}
		// What comes after the beginning can't be a status any more.
		x.Answer(&proxy.Call{Err: gateway.Fail(gateway.CodeInternal)}, proxy.Answer{Status: 500, Body: []byte(`{"error":1}`)})
		if err := x.Event([]byte(`{}`)); !errors.Is(err, sse.ErrAnswered) {
			t.Errorf("an event after the answer: %v", err)
		}
	})
	if want := "event: message\ndata: {\"n\": 1.10}\n\nevent: message\ndata: {\"error\":1}\n\n"; body != want {
		t.Errorf("%q, want %q", body, want)
	}
	h := resp.Header
	if resp.StatusCode != 200 || h.Get("Content-Type") != "text/event-stream" || h.Get("X-Accel-Buffering") != "no" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", resp.StatusCode, h)
	}
}

func TestWhereAStreamIsExpected(t *testing.T) {
	_, body := serve(t, func(x *sse.Writer) {
		x.KeepAlive()
		x.Answer(&proxy.Call{}, proxy.Answer{Status: 200, Body: []byte(`{}`)})
	})
	if body != "event: message\ndata: {}\n\n" {
		t.Errorf("an answer: %q", body)
	}
	resp, body := serve(t, func(x *sse.Writer) {
		x.KeepAlive()
		x.Answer(&proxy.Call{Err: gateway.Fail(gateway.CodeUnknownMethod)}, proxy.Answer{Status: 404, Body: []byte(`{}`)})
	})
	if resp.StatusCode != 404 || body != "{}" {
		t.Errorf("an error keeps its status: %d %q", resp.StatusCode, body)
	}
}
