package credential

import (
	"context"

	"mcp-gateway/gateway"
)

// Source gives the bearer tokens of one upstream. It is safe for concurrent use.
type Source interface {
	// Token returns the token for who calls. An error is a *gateway.Error: nothing
	// is sent then.
	Token(ctx context.Context, on gateway.Behalf) (string, error)
	// Refused is told that the upstream did not take a token.
	Refused(on gateway.Behalf, token string)
}

type behalfKey struct{}

// For returns a context whose requests are made for somebody.
func For(ctx context.Context, on gateway.Behalf) context.Context {
	if on.Principal == "" {
		return ctx
	}
	return context.WithValue(ctx, behalfKey{}, on)
}

// Behalf returns for whom the requests of a context are made; the zero value is the
// gateway itself.
func Behalf(ctx context.Context) gateway.Behalf {
	on, _ := ctx.Value(behalfKey{}).(gateway.Behalf)
	return on
}
