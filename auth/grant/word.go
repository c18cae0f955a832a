package grant

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

// Word says in one word for operators why there was no credential: "credential_" and the
// OAuth error code, the HTTP status or what became of the connection. It is "" for every
// other error. No host reads it: what stands in the error's Reasons says less.
func Word(err error) gateway.Reason {
	var e *gateway.Error
	if !errors.As(err, &e) || !slices.Contains(e.Reasons, gateway.ReasonCredential) || e.Err == nil {
		return ""
	}
	const about = "credential_"
	var status *issuer.StatusError
	if errors.As(e.Err, &status) {
		return about + gateway.Reason(cmp.Or(status.Code, fmt.Sprintf("http_%d", status.Status)))
	}
	for word, is := range map[gateway.Reason][]error{
		"bad_answer": {issuer.ErrAnswer, ErrAnswer}, "bad_metadata": {issuer.ErrIssuer, issuer.ErrEndpoint},
		"wrong_audience": {ErrAudience}, "client_key": {issuer.ErrClientKey}, "nobody": {ErrNobody},
	} {
		if slices.ContainsFunc(is, func(one error) bool { return errors.Is(e.Err, one) }) {
			return about + word
		}
	}
	return about + egress.Why(e.Err)
}
