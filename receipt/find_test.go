package receipt_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-gateway/keyring"
	"mcp-gateway/receipt"
)

// A receipt is good wherever the host got it, and nowhere else.
func TestAReceiptIsFoundWhereItCame(t *testing.T) {
	ours := ring(t)
	good := string(sign(t, ours, statement()))
	for name, tc := range map[string]struct {
		text string
		want receipt.Refusal
	}{
		"by itself":              {good, ""},
		"its _meta":              {`{"a":1,"mcp-gateway/receipt":` + good + `}`, ""},
		"the result":             {`{"content":[],"_meta":{"mcp-gateway/receipt":` + good + `}}`, ""},
		"the answer":             {` {"jsonrpc":"2.0","id":1,"result":{"_meta":{"mcp-gateway/receipt":` + good + `}}} `, ""},
		"an answer without":      {`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, receipt.BadEnvelope},
		"two in one _meta":       {`{"mcp-gateway/receipt":` + good + `,"mcp-gateway/receipt":` + good + `}`, receipt.BadEnvelope},
		"in a tool's own result": {`{"result":{"structuredContent":{"mcp-gateway/receipt":` + good + `}}}`, receipt.BadEnvelope},
		"truncated":              {`{"mcp-gateway/receipt":` + good, receipt.BadEnvelope},
		"too deep":               {strings.Repeat("[", 1000), receipt.BadEnvelope},
	} {
		_, err := receipt.Verify(receipt.Find([]byte(tc.text)), ours.Public(keyring.Receipt), receipt.Claim{})
		var got receipt.Refusal
		if errors.As(err, &got); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// FuzzFind: what is found stands in the text.
func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"result":{"_meta":{"mcp-gateway/receipt":{"payload":""}}}}`))
	f.Add([]byte(`{"mcp-gateway/receipt":1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if found := receipt.Find(text); !strings.Contains(string(text), string(found)) {
			t.Errorf("%q is not in %q", found, text)
		}
	})
}
