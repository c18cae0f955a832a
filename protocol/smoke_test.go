package protocol

import "testing"

func TestParseRequestSmoke(t *testing.T) {
	r, err := ParseRequest([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"\u0041"}]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if string(r.ID) != "9007199254740993" || r.Method != MethodToolsCall || r.Meta.Version != Revision20260728 {
		t.Fatalf("%+v", r)
	}
	v, ok := Lookup(r.Params, "/arguments/a/1/b")
	if s, _ := Text(v); !ok || s != "A" {
		t.Fatalf("%q %v", v, ok)
	}
}
