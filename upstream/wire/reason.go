package wire

import (
	"context"
	"errors"
	"fmt"

	"mcp-gateway/gateway"
)

// Why an upstream is down or an exchange failed, beside those of
// upstream/child. A status that is no reason of its own becomes "http_503" and
// the like: see HTTPStatus.
const (
	ReasonConnecting   gateway.Reason = "connecting"                 // the caller's time ended before the upstream was up
	ReasonBusy         gateway.Reason = "busy"                       // too many calls in flight and waiting
	ReasonCircuit      gateway.Reason = "circuit_open"               // several calls in a row ran out of time; none is made for a while
	ReasonClosed       gateway.Reason = "closed"                     // the gateway lets go of this upstream
	ReasonSilent       gateway.Reason = "silent"                     // no answer to the introduction
	ReasonProbeTimeout gateway.Reason = "probe_timeout"              // no answer to server/discover over HTTP
	ReasonProbeError   gateway.Reason = "probe_error"                // an error where an introduction was due
	ReasonDowngrade                   = gateway.ReasonDowngrade      // it was met with a newer revision before
	ReasonRevision     gateway.Reason = "unsupported_revision"       // no revision in common
	ReasonMinimum                     = gateway.ReasonRevisionTooOld // older than the configuration allows
	ReasonNoServer     gateway.Reason = "no_mcp_server"              // no era of MCP is spoken at that URL
	ReasonSession      gateway.Reason = "session_lost"               // the server no longer knows the session, twice in a row
	ReasonEndpoint     gateway.Reason = "bad_endpoint"               // a 2024-11-05 server names no endpoint, or a foreign one
	ReasonUnsupported  gateway.Reason = "not_supported"              // the server declares no such capability
	ReasonRefused      gateway.Reason = "dial_refused"               // nobody listens there
	ReasonBlocked      gateway.Reason = "dial_blocked"               // the address may not be called
	ReasonDialTimeout  gateway.Reason = "dial_timeout"               //
	ReasonDial         gateway.Reason = "dial_failed"                // any other failure to connect
	ReasonDNS          gateway.Reason = "dns_failed"                 //
	ReasonTLS          gateway.Reason = "tls_failed"                 //
	ReasonBroken       gateway.Reason = "connection_broken"          // ended before the answer was whole
	ReasonRedirect     gateway.Reason = "redirect"                   // redirects are not followed
	ReasonHTML         gateway.Reason = "html_answer"                // a web page, not a message
	ReasonMediaType    gateway.Reason = "media_type"                 // neither JSON nor an event stream
	ReasonNoAnswer     gateway.Reason = "no_answer"                  // the stream ended without the response
	ReasonStray        gateway.Reason = "stray_messages"             // too many messages that answer nothing
)

// HTTPStatus is the reason for an answer with that status.
func HTTPStatus(status int) gateway.Reason { return gateway.Reason(fmt.Sprintf("http_%d", status)) }

// Ended is the error for an exchange that ctx ended.
func Ended(ctx context.Context) *gateway.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return gateway.Because(gateway.CodeTimeout, ctx.Err())
	}
	return gateway.Because(gateway.CodeCancelled, ctx.Err())
}
