package oblige

import (
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Before says whether a call may go ahead under its obligations, or which one is
// not met. The idempotency key is a text that is not empty, where the reviewer
// says that the tool takes it.
func Before(o *gateway.Obligations, p *gateway.Principal, f *gateway.ExposureFacts, arguments []byte, now time.Time) error {
	lacks := func(scope string) bool { return !slices.Contains(p.Scopes, scope) }
	switch {
	case slices.ContainsFunc(o.StepUp, lacks):
		e := gateway.Fail(gateway.CodeInsufficientScope, gateway.ReasonScopeMissing)
		if e.Scopes = o.StepUp; p.Method != gateway.AuthOAuth {
			e.Code, e.Scopes = gateway.CodeForbidden, nil // there is nobody to ask for more
		}
		return e
	case o.FreshWithin > 0 && !fresh(p, o.FreshWithin, now):
		return gateway.Fail(gateway.CodeForbidden, gateway.ReasonAuthentication)
	case o.IdempotencyKey && !carriesKey(f, arguments):
		return gateway.Fail(gateway.CodeForbidden, gateway.ReasonKeyMissing)
	}
	return nil
}

// fresh says whether the caller is known to have authenticated lately.
func fresh(p *gateway.Principal, within time.Duration, now time.Time) bool {
	age := now.Sub(p.AuthenticatedAt)
	return !p.AuthenticatedAt.IsZero() && age >= 0 && age <= within
}

func carriesKey(f *gateway.ExposureFacts, arguments []byte) bool {
	if f.IdempotencyField == "" {
		return false
	}
	raw, _ := protocol.Lookup(arguments, f.IdempotencyField)
	key, ok := protocol.Text(raw)
	return ok && key != ""
}
