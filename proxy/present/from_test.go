package present_test

import (
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/present"
	"mcp-gateway/redact"
)

// Naming the source of a result changes its _meta, and of that nothing else.
func FuzzFrom(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":[{}]},"isError":false}`,
		`{"_meta":{"a/b":{"c":1},"d":[]},"content":[]}`, `{"_meta":{},"x":1}`, `{"_meta":null}`, `{"_meta":{"mcp-gateway/source":{"upstream":"other"}},"y":{}}`,
	} {
		f.Add([]byte(s), "up")
	}
	f.Fuzz(func(t *testing.T, raw []byte, upstream string) {
		if protocol.Check(raw, protocol.Limits{}) != nil || protocol.Kind(raw) != '{' {
			return
		}
		got := present.From(raw, upstream)
		if err := protocol.Check(got, protocol.Limits{}); err != nil {
			t.Fatalf("%s: %s: %v", raw, got, err)
		}
		meta, _ := protocol.Member(got, "_meta")
		said, _ := protocol.Member(meta, redact.SourceKey)
		if want := string(protocol.AppendString([]byte(`{"upstream":`), upstream)) + "}"; string(said) != want {
			t.Errorf("%s: source %s, want %s", raw, said, want)
		}
		before, _ := protocol.Member(raw, "_meta")
		same(t, "_meta", members(before, redact.SourceKey), members(meta, redact.SourceKey))
		same(t, "result", members(raw, "_meta"), members(got, "_meta"))
	})
}

// members are those of an object, but for one.
func members(object []byte, but string) map[string]string {
	all := map[string]string{}
	if protocol.Kind(object) != '{' {
		return all
	}
	for name, value := range protocol.Members(object) {
		if string(name) != but {
			all[string(name)] = string(value)
		}
	}
	return all
}

func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %q is %s, want %s", what, name, got[name], value)
		}
	}
}
