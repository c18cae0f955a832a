package record

import (
	"testing"

	"mcp-gateway/gateway"
)

// A pointer is written as far as the reviewed schema declares its names: what a
// host made up is no part of an event.
func TestFaults(t *testing.T) {
	const schema = `{"properties":{"to":{"type":"string"},"a/b":{},"rows":{"items":{"properties":{"id":{"type":"integer"}}}},
		"labels":{"additionalProperties":{"type":"string"}},"other":{"$ref":"#/$defs/x"},"any":true}}`
	for pointer, want := range map[string]string{
		"/to":              "/to",
		"":                 "/",
		"/secret-name":     "/",
		"/rows/17/id":      "/rows/-/id",
		"/rows/17/my-key":  "/rows/-",
		"/labels/hunter2":  "/labels",
		"/other/inner":     "/other",
		"/a~1b":            "/a~1b",
		"/any/thing":       "/any",
		"/rows/x/id":       "/rows",
		"/to/0/and/deeper": "/to",
	} {
		got := faults([]byte(schema), []gateway.Violation{{Pointer: pointer, Keyword: "type"}})
		if len(got) != 1 || string(got[0]) != want+" type" {
			t.Errorf("%q: %q, want %q", pointer, got, want+" type")
		}
	}
	if faults([]byte(schema), nil) != nil {
		t.Error("no violation, but a fault")
	}
}
