package protocol

import (
	"errors"
	"net/http"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/headers"
)

// Methods, as every revision spells them.
const (
	MethodDiscover              = "server/discover"
	MethodInitialize            = "initialize"
	MethodPing                  = "ping"
	MethodToolsList             = "tools/list"
	MethodToolsCall             = "tools/call"
	MethodPromptsList           = "prompts/list"
	MethodPromptsGet            = "prompts/get"
	MethodResourcesList         = "resources/list"
	MethodResourceTemplatesList = "resources/templates/list"
	MethodResourcesRead         = "resources/read"
	MethodResourcesSubscribe    = "resources/subscribe"
	MethodResourcesUnsubscribe  = "resources/unsubscribe"
	MethodSubscriptionsListen   = "subscriptions/listen"
	MethodComplete              = "completion/complete"
	MethodSetLevel              = "logging/setLevel"
	MethodCreateMessage         = "sampling/createMessage"
	MethodRootsList             = "roots/list"
	MethodElicit                = "elicitation/create"

	NotificationInitialized          = "notifications/initialized"
	NotificationCancelled            = "notifications/cancelled"
	NotificationProgress             = "notifications/progress"
	NotificationMessage              = "notifications/message"
	NotificationToolsChanged         = "notifications/tools/list_changed"
	NotificationPromptsChanged       = "notifications/prompts/list_changed"
	NotificationResourcesChanged     = "notifications/resources/list_changed"
	NotificationResourceUpdated      = "notifications/resources/updated"
	NotificationSubscriptionsStarted = "notifications/subscriptions/acknowledged"
)

// Header names in the form in which net/http keys them. Comparison on the wire
// is case-insensitive; values are case-sensitive.
const (
	HeaderVersion     = "Mcp-Protocol-Version" // MCP-Protocol-Version
	HeaderMethod      = "Mcp-Method"
	HeaderName        = "Mcp-Name"
	HeaderParamPrefix = headers.ParamPrefix
	HeaderSession     = "Mcp-Session-Id" // revisions before 2026-07-28
)

// Names in _meta.
const (
	MetaVersion            = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaProgressToken      = "progressToken"
	MetaTraceParent        = "traceparent"
	MetaTraceState         = "tracestate"

	// What a host calls its own run, step and call: ours, for joining records.
	MetaRun  = "mcp-gateway/run"
	MetaStep = "mcp-gateway/step"
	MetaCall = "mcp-gateway/call"
)

// Values of resultType.
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required"
)

// JSON-RPC error codes that the gateway may send or must know. -32002 and
// -32042 belong to earlier revisions and are never sent on 2026-07-28.
const (
	RPCParseError         = -32700
	RPCInvalidRequest     = -32600
	RPCMethodNotFound     = -32601
	RPCInvalidParams      = -32602
	RPCInternalError      = -32603
	RPCHeaderMismatch     = -32020
	RPCMissingCapability  = -32021
	RPCUnsupportedVersion = -32022
	RPCResourceNotFound   = -32002
)

// HTTP statuses that revision 2026-07-28 fixes.
const (
	StatusNotificationAccepted = http.StatusAccepted
	StatusOriginRefused        = http.StatusForbidden
	StatusMethodNotAllowed     = http.StatusMethodNotAllowed
)

// StatusOf returns the HTTP status that carries a JSON-RPC error of the code on
// revision 2026-07-28: 404 for an unknown method, 400 for every other fault of
// the request, else 200.
func StatusOf(rpcCode int) int {
	switch rpcCode {
	case RPCMethodNotFound:
		return http.StatusNotFound
	case RPCParseError, RPCInvalidRequest, RPCInvalidParams,
		RPCHeaderMismatch, RPCMissingCapability, RPCUnsupportedVersion:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

// RPCCodeOf returns the JSON-RPC code for an error of this package: -32700 for
// what is no JSON, -32600 for JSON that is no acceptable message (also one with
// duplicate names or over a limit), and the code of its own for the rest.
func RPCCodeOf(err error) int {
	var e *gateway.Error
	if !errors.As(err, &e) {
		return RPCInternalError
	}
	switch e.Code {
	case gateway.CodeMalformed:
		if errors.Is(err, ErrSyntax) {
			return RPCParseError
		}
		return RPCInvalidRequest
	case gateway.CodeTooLarge:
		return RPCInvalidRequest
	case gateway.CodeInvalidParams:
		return RPCInvalidParams
	case gateway.CodeHeaderMismatch:
		return RPCHeaderMismatch
	default:
		return RPCInternalError
	}
}
