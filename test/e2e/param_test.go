package e2e

import (
	"maps"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// mirrored is a tool whose arguments travel in headers too.
const mirrored = `{"name":"route","inputSchema":{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"shard":{"type":"integer","x-mcp-header":"Shard"},
	"dry":{"type":["boolean","null"],"x-mcp-header":"Dry-Run"},
	"deep":{"type":"object","properties":{"zone":{"type":["string","null"],"x-mcp-header":"Zone"}}},
	"plain":{"type":"string"}}}}`

// TestMirroredArguments is rule S7: headers that the pinned schema names must
// equal the arguments; and C4: they are made anew for the upstream.
func TestMirroredArguments(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer().Add(mirrored, stage.Result(`{"resultType":"complete","content":[]}`))
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "router", peer)}})
	type headers map[string]string
	for _, tt := range []struct {
		name string
		args string
		sent headers
		want headers // that the upstream gets; nil = refused
	}{
		{"none needed", `{"plain":"x"}`, nil, headers{}},
		{"string", `{"region":"eu-1"}`, headers{"Region": "eu-1"}, headers{"Region": "eu-1"}},
		{"string missing", `{"region":"eu-1"}`, nil, nil},
		{"string wrong", `{"region":"eu-1"}`, headers{"Region": "eu-2"}, nil},
		{"string in capitals", `{"region":"eu-1"}`, headers{"Region": "EU-1"}, nil},
		{"string encoded", `{"region":"eu-1"}`, headers{"Region": b64("eu-1")}, headers{"Region": "eu-1"}},
		{"string encoded wrongly", `{"region":"eu-1"}`, headers{"Region": "=?base64?*?="}, nil},
		{"unsafe string encoded", `{"region":"é "}`, headers{"Region": b64("é ")}, headers{"Region": b64("é ")}},
		{"unsafe string raw", `{"region":"é"}`, headers{"Region": "é"}, nil},
		{"string by escape", `{"region":"\u0065u-1"}`, headers{"Region": "eu-1"}, headers{"Region": "eu-1"}},
		{"empty string", `{"region":""}`, headers{"Region": ""}, headers{"Region": ""}},
		{"empty string, header missing", `{"region":""}`, nil, nil},
		{"header without argument", `{}`, headers{"Region": "eu-1"}, nil},
		{"empty header without argument", `{}`, headers{"Region": ""}, nil},
		{"integer", `{"shard":42}`, headers{"Shard": "42"}, headers{"Shard": "42"}},
		{"integer by value", `{"shard":42}`, headers{"Shard": "42.0"}, headers{"Shard": "42"}},
		{"integer by exponent", `{"shard":4.2e1}`, headers{"Shard": "42"}, headers{"Shard": "42"}},
		{"integer wrong", `{"shard":42}`, headers{"Shard": "43"}, nil},
		{"integer as words", `{"shard":42}`, headers{"Shard": "forty-two"}, nil},
		{"beyond 2^53", `{"shard":9007199254740993}`, headers{"Shard": "9007199254740993"}, headers{"Shard": "9007199254740993"}},
		{"beyond 2^53, rounded", `{"shard":9007199254740993}`, headers{"Shard": "9007199254740992"}, nil},
		{"boolean", `{"dry":true}`, headers{"Dry-Run": "true"}, headers{"Dry-Run": "true"}},
		{"boolean false", `{"dry":false}`, headers{"Dry-Run": "false"}, headers{"Dry-Run": "false"}},
		{"boolean wrong", `{"dry":true}`, headers{"Dry-Run": "false"}, nil},
		{"boolean as number", `{"dry":true}`, headers{"Dry-Run": "1"}, nil},
		{"null", `{"dry":null}`, nil, headers{}},
		{"null with header", `{"dry":null}`, headers{"Dry-Run": "null"}, nil},
		{"deep", `{"deep":{"zone":"a"}}`, headers{"Zone": "a"}, headers{"Zone": "a"}},
		{"deep missing", `{"deep":{"zone":"a"}}`, nil, nil},
		{"deep, absent above", `{"plain":"x"}`, headers{"Zone": "a"}, nil},
		{"all", `{"region":"r","shard":1,"dry":false,"deep":{"zone":"z"}}`,
			headers{"Region": "r", "Shard": "1", "Dry-Run": "false", "Zone": "z"},
			headers{"Region": "r", "Shard": "1", "Dry-Run": "false", "Zone": "z"}},
		{"unknown header", `{"plain":"x"}`, headers{"Unheard-Of": "x"}, headers{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Host("alice").Calling("router__route", tt.args)
			for name, value := range tt.sent {
				r.With("Mcp-Param-"+name, value)
			}
			reply, calls := r.Send(t), peer.Calls()
			row := s.OneEvent(t)
			if tt.want == nil {
				if reply.Status != 400 || reply.RPC() != -32020 || reply.Code() != string(gateway.CodeHeaderMismatch) || row.Code != gateway.CodeHeaderMismatch {
					t.Errorf("answer is %d %d %q, event %q", reply.Status, reply.RPC(), reply.Code(), row.Code)
				}
				if len(calls) != 0 {
					t.Errorf("it was forwarded: %+v", calls)
				}
				return
			}
			if reply.Status != 200 || reply.Code() != "" || len(calls) != 1 {
				t.Fatalf("answer is %d %s, %d calls", reply.Status, reply.Body, len(calls))
			}
			if calls[0].Arguments() != tt.args {
				t.Errorf("the upstream got %s, sent was %s", calls[0].Arguments(), tt.args)
			}
			got := headers{}
			for name, values := range calls[0].Header {
				if short, ok := strings.CutPrefix(name, "Mcp-Param-"); ok {
					got[short] = strings.Join(values, "|")
				}
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("the upstream got the headers %v, want %v", got, tt.want)
			}
		})
	}
	t.Run("repeated", func(t *testing.T) {
		reply := s.Host("alice").Calling("router__route", `{"region":"a"}`).With("Mcp-Param-Region", "a", "a").Send(t)
		if reply.RPC() != -32020 {
			t.Errorf("answer is %s", reply.Body)
		}
	})
}

// TestHopHeaders holds what the upstream gets of a host's request: its own hop's
// standard headers, and nothing that the host sent for this one.
func TestHopHeaders(t *testing.T) {
	t.Parallel()
	name := "näme.of-tool" // refused as a name; the one below needs encoding by its blanks
	peer := stage.NewPeer().Add(stage.Tool("plain"), stage.Result(`{"content":[]}`)).Add(stage.Tool(name), nil)
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	r := s.Host("alice").Calling("up__plain", `{}`)
	secret := r.Header.Get("Authorization")
	r.With("Cookie", "session=1").With("X-Forwarded-For", "1.2.3.4").With("Mcp-Session-Id", "abc").With("Last-Event-Id", "7")
	if reply := r.Send(t); reply.Status != 200 {
		t.Fatalf("%d %s", reply.Status, reply.Body)
	}
	calls := peer.Calls()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	h := calls[0].Header
	for name, want := range map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "plain", "Content-Type": "application/json",
		"Authorization": "", "Cookie": "", "X-Forwarded-For": "", "Mcp-Session-Id": "", "Last-Event-Id": "",
	} {
		if h.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, h.Get(name), want)
		}
	}
	if strings.Contains(string(calls[0].Params), secret) || strings.Contains(string(calls[0].Params), `"stage"`) {
		t.Errorf("the host's own identity was passed on: %s", calls[0].Params)
	}
}
