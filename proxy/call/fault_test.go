package call

import (
	"errors"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// What ran and can't be released is not told as a fault that passes.
func TestAFaultBehindTheResultWithholdsIt(t *testing.T) {
	fault := gateway.Because(gateway.CodeInternal, errors.New("panic"))
	for _, tc := range []struct {
		name   string
		result []byte
		want   gateway.Code
	}{
		{"before", nil, gateway.CodeInternal},
		{"behind", []byte("{}"), gateway.CodeContractViolation},
	} {
		c := Call{Incoming: protocol.Incoming{Result: tc.result}}
		if c.Fail("redact", fault); c.Err.Code != tc.want || c.Err.Stage != "redact" || !errors.Is(c.Err, fault.Err) {
			t.Errorf("%s: %v", tc.name, c.Err)
		}
	}
}
