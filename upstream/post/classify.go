package post

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/upstream/wire"
)

const longestRetryAfter = time.Hour

// Connection is the error for a POST that brought no response.
func Connection(ctx context.Context, err error, sent bool) *gateway.Error {
	if ctx.Err() != nil {
		return wire.Ended(ctx)
	}
	reason := egress.Why(err)
	var timeout net.Error
	var e *gateway.Error
	switch {
	case !sent && errors.As(err, &e):
		return e // there is no credential
	case !sent:
		return gateway.Because(gateway.CodeUnavailable, err, reason)
	case errors.As(err, &timeout) && timeout.Timeout():
		return gateway.Because(gateway.CodeTimeout, err) // as when ctx ends, which it does at the same time
	default:
		return gateway.Because(gateway.CodeExecutionError, err, reason)
	}
}

// Status is the error for a response whose status alone says that it is no
// answer. Those that say "not now" are CodeUnavailable, with the time they name.
func Status(resp *http.Response) *gateway.Error {
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400:
		return gateway.Fail(gateway.CodeExecutionError, wire.ReasonRedirect)
	case isAway(code), code == http.StatusUnauthorized, code == http.StatusForbidden:
		e := gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(code))
		e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
		return e
	default:
		return gateway.Fail(gateway.CodeExecutionError, wire.HTTPStatus(code))
	}
}

// isAway reports whether a status says that the server can't answer now.
func isAway(code int) bool {
	return code == http.StatusTooManyRequests || code == http.StatusBadGateway ||
		code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout
}

// isVerdict reports whether a status outweighs whatever body comes with it.
func isVerdict(code int) bool {
	return code >= 300 && code < 400 || code == http.StatusUnauthorized || code == http.StatusForbidden || isAway(code)
}

// retryAfter reads a number of seconds, bounded; dates are not worth a clock.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 1<<20))*time.Second, longestRetryAfter)
}
