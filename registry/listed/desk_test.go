package listed

import (
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

// Tools of one list with the same schema share it; an input's is never an output's,
// and what is refused once is refused again.
func TestSharedSchemas(t *testing.T) {
	const object, text = `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"string"}`
	var desk Desk
	seen := func(name, input, output string) *Admission {
		raw := fmt.Appendf(nil, `{"name":%q,"inputSchema":%s,"outputSchema":%s}`, name, input, output)
		return desk.Examine(gateway.ItemID{Kind: gateway.KindTool, Upstream: "up"}, raw, time.Now())
	}
	a, b := seen("a", object, object), seen("b", object, text)
	if a.Reason != "" || b.Reason != "" || a.Def.Input != b.Def.Input {
		t.Errorf("%q, %q, or not shared", a.Reason, b.Reason)
	}
	if a.Def.Output == a.Def.Input || a.Def.Output == b.Def.Output {
		t.Error("a schema is shared with another one")
	}
	if c := seen("c", text, text); c.Reason != gateway.ReasonSchemaInvalid {
		t.Errorf("an input that is no object: %q", c.Reason)
	}
	for range 2 {
		if d := seen("d", `{"type":"nonsense"}`, text); d.Reason != gateway.ReasonSchemaInvalid {
			t.Errorf("a schema that is none: %q", d.Reason)
		}
	}
}
