package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/sse"
)

// all returns the data of every event of stream, and the error that ended it.
func all(r io.Reader, limit int) ([]string, error) {
	var events []string
	reader := sse.NewReader(r, limit)
	for {
		data, err := reader.Next()
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestEvents(t *testing.T) {
	for name, tc := range map[string]struct {
		stream string
		want   []string
	}{
		"empty events and comments before the response": {
			"id: 1\ndata:\n\n: ping\n\nevent: message\ndata: {\"id\":1}\n\n", []string{`{"id":1}`}},
		"CRLF":                          {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		"CR":                            {"data: a\r\rdata: b\r\r", []string{"a", "b"}},
		"mixed ends":                    {"data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\n", []string{"a\nb\nc", "d"}},
		"several data lines":            {"data: a\ndata:b\ndata:  c\n\n", []string{"a\nb\n c"}},
		"data without colon":            {"data\ndata\n\n", []string{"\n"}},
		"unknown fields":                {"retry: 5\nfoo: bar\nDATA: no\ndatax: no\ndata: yes\n\n", []string{"yes"}},
		"byte order mark":               {"\xEF\xBB\xBFdata: a\n\n", []string{"a"}},
		"no second byte order mark":     {"data: a\n\n\xEF\xBB\xBFdata: b\n\n", []string{"a"}},
		"an event that is cut off":      {"data: a\n\ndata: b\n", []string{"a"}},
		"a line that is cut off":        {"data: a\n\ndata: b", []string{"a"}},
		"nothing":                       {"", nil},
		"colons in the value":           {"data: a: b:c\n\n", []string{"a: b:c"}},
		"a comment that looks like one": {":data: a\n\ndata: b\n\n", []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"whole": strings.NewReader(tc.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(tc.stream)),
			} {
				got, err := all(r, 1<<10)
				if !errors.Is(err, io.EOF) || strings.Join(got, "|") != strings.Join(tc.want, "|") || len(got) != len(tc.want) {
					t.Errorf("%s: got %q, %v, want %q, EOF", way, got, err, tc.want)
				}
			}
		})
	}
}

func TestLongLineArrivesWhole(t *testing.T) {
	want := strings.Repeat("x", 2<<20)
	got, err := all(strings.NewReader("data: "+want+"\n\n"), 4<<20)
	if len(got) != 1 || got[0] != want || !errors.Is(err, io.EOF) {
		t.Errorf("%d events, %v", len(got), err)
	}
}

func TestEndlessInputIsCut(t *testing.T) {
	const limit = 1 << 20
	for name, piece := range map[string]string{
		"one line": "x", "data lines": "data: xxxxxxxx\n", "comment": ":xxxx",
	} {
		src := &endless{head: "data: ", piece: piece}
		_, err := all(src, limit)
		var e *gateway.Error
		switch {
		case name == "comment" && errors.Is(err, io.EOF): // a comment without an end is cut like any line
			t.Errorf("%s: ended by itself", name)
		case !errors.As(err, &e) || e.Code != gateway.CodeTooLarge:
			t.Errorf("%s: %v, want too_large", name, err)
		case src.given > 2*limit:
			t.Errorf("%s: read %d bytes for a limit of %d", name, src.given, limit)
		}
	}
}

// A stream of nothing but comments and empty events ends a reader as an endless event
// does, and not one that has something to say now and then.
func TestEndlessNothingIsCut(t *testing.T) {
	const limit = 2 << 20
	for name, piece := range map[string]string{
		"comments": ":" + strings.Repeat("x", 60) + "\n", "bare comments": ":\n", "line ends": "\n", "returns": "\r", "comments between line ends": ":ping\r\n\r\n",
		"empty events": "data:\n\n", "fields": "foo: bar\n", "ids": "id: 7\n\n", "names": "event: message\n\n", "retries": "retry: 1\r", "NUL": "\x00\n",
	} {
		src := &endless{head: "\xEF\xBB\xBF", piece: piece}
		events, err := all(src, limit)
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.CodeTooLarge || len(events) != 0 || src.given > 8*limit {
			t.Errorf("%s: %d events, %v after %d bytes", name, len(events), err, src.given)
		}
	}
	pings := strings.Repeat(": ping\n\n", 100_000)
	if events, err := all(strings.NewReader(pings+"data: a\n\n"+pings+"data: b\n\n"+pings), 1<<10); len(events) != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("two among many pings: %q, %v", events, err)
	}
}

// endless gives piece over and over.
type endless struct {
	head, piece string
	given       int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.given == 0 {
		e.given = copy(p, e.head)
		return e.given, nil
	}
	n := 0
	for n+len(e.piece) <= len(p) {
		n += copy(p[n:], e.piece)
	}
	e.given += n
	return n, nil
}

// FuzzReader holds the reader to a plain reading of the rules.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "data\r\rdata:b\r\n\r\n", "\xEF\xBB\xBF:x\ndata: 1\n\n", "id: 1\ndata:\n\n: ping\n\n", "\r\n\r", "data: a\r",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, _ := all(bytes.NewReader(stream), len(stream)+1)
		slow, _ := all(iotest.OneByteReader(bytes.NewReader(stream)), len(stream)+1)
		want := plain(string(stream))
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if strings.Join(slow, "\x00") != strings.Join(want, "\x00") {
			t.Fatalf("byte by byte %q, want %q", slow, want)
		}
	})
}

func plain(stream string) []string {
	stream = strings.TrimPrefix(stream, "\xEF\xBB\xBF")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	var events, data []string
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "":
			if joined := strings.Join(data, "\n"); joined != "" {
				events = append(events, joined)
			}
			data = nil
		case name == "data":
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	return events
}

func TestWhatIsAMessage(t *testing.T) {
	r := sse.NewReader(strings.NewReader("data: a\n\nevent: message\ndata: b\n\nevent: ping\ndata: c\n\nevent: Message\ndata: d\n\nevent:\ndata: e\n\n"), 100)
	for _, want := range []bool{true, true, false, false, true} {
		data, err := r.Next()
		if err != nil || r.IsMessage() != want {
			t.Errorf("%s called %q: %t, %v", data, r.Name, r.IsMessage(), err)
		}
	}
}

func TestNamesIDsAndRetries(t *testing.T) {
	long := strings.Repeat("x", 2000)
	r := sse.NewReader(strings.NewReader("id: 1\nretry: 1500\ndata:\n\n"+ // primes the stream: no event
		"event: endpoint\ndata: /messages\n\n"+"data: plain\nid\n\n"+
		"event: a\nevent: b\nid: 7\nretry: soon\nretry:99999999999\ndata: x\n\n"+
		"event: left out\n\ndata: y\n\n"+"id: a\x00b\nid: "+long+"\nevent: "+long+"\nretry: 4294967295\ndata: z\n\n"), 4000)
	for _, want := range []struct {
		data, name, id string
		retry          time.Duration
	}{
		{"/messages", "endpoint", "1", 1500 * time.Millisecond}, {"plain", "", "", 1500 * time.Millisecond},
		{"x", "b", "7", 1500 * time.Millisecond}, {"y", "", "7", 1500 * time.Millisecond}, {"z", "", "7", time.Hour},
	} {
		data, err := r.Next()
		if err != nil || string(data) != want.data || r.Name != want.name || r.ID != want.id || r.Retry != want.retry {
			t.Errorf("%q %q %q %v %v, want %+v", data, r.Name, r.ID, r.Retry, err, want)
		}
	}
}
