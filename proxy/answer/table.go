package answer

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Retry says what a host may do after a refusal.
type Retry string

// The kinds of retry.
const (
	RetryNo       Retry = "no"
	RetryChanged  Retry = "after_change" // with other arguments
	RetryLater    Retry = "later"
	RetryReads    Retry = "reads_only" // only calls without side effect
	RetrySameKey  Retry = "same_key"   // only with the same idempotency key
	RetryApproved Retry = "after_approval"
)

// Row says how one code travels. In answer to tools/call a row with Tool set
// is a tool result with isError, HTTP 200, so that the model sees it; in every
// other place it is a JSON-RPC error with RPC and Status.
type Row struct {
	Status   int // HTTP
	RPC      int // JSON-RPC; own codes are positive, outside -32768..-32000
	Tool     bool
	Retry    Retry
	Sentence string // fixed: no upstream text, value, path or name enters it
}

// Rows is the one table of refusals, by code. A test holds that every code of
// the vocabulary has its row and that the JSON-RPC codes are in legal ranges.
func Rows() map[gateway.Code]Row {
	return map[gateway.Code]Row{
		gateway.CodeMalformed:          {400, -32600, false, RetryNo, "The request is not a well-formed message."},
		gateway.CodeTooLarge:           {413, 1413, false, RetryNo, "The message is larger than this gateway accepts."},
		gateway.CodeUnknownMethod:      {404, -32601, false, RetryNo, "Method not found."},
		gateway.CodeHeaderMismatch:     {400, -32020, false, RetryNo, "Header mismatch: a required header is missing, repeated or differs from the body."},
		gateway.CodeUnsupportedVersion: {400, -32022, false, RetryNo, "Unsupported protocol version."},
		gateway.CodeMissingCapability:  {400, -32021, false, RetryNo, "A client capability that this call needs was not declared."},
		gateway.CodeInvalidParams:      {400, -32602, false, RetryNo, "Invalid params."},
		gateway.CodeUnknownTool:        {400, -32602, false, RetryNo, "Unknown tool."},
		gateway.CodeUnauthenticated:    {401, 1401, false, RetryNo, "Authentication is required."},
		gateway.CodeForbiddenOrigin:    {403, 1403, false, RetryNo, "This origin or host may not reach the gateway."},
		gateway.CodeMediaType:          {415, 1415, false, RetryNo, "The body must be application/json."},
		gateway.CodeNotAcceptable:      {406, 1406, false, RetryNo, "The answer can't come in a media type that Accept admits."},
		gateway.CodeRequestTimeout:     {408, 1408, false, RetryLater, "The request did not arrive in time."},
		gateway.CodeMethodNotAllowed:   {405, 1405, false, RetryNo, "Only POST is supported here."},
		gateway.CodeNotFound:           {404, 1404, false, RetryNo, "There is no such endpoint."},
		gateway.CodeInvalidArguments:   {400, -32602, true, RetryChanged, "The arguments do not satisfy the definition."},
		gateway.CodeForbidden:          {403, 1003, true, RetryNo, "Policy does not allow this call."},
		gateway.CodeApprovalRequired:   {403, 1004, true, RetryApproved, "This call needs a person's approval; nothing was executed."},
		gateway.CodeQuarantined:        {403, 1005, true, RetryNo, "The tool's definition is no longer the reviewed one; nothing was executed."},
		gateway.CodeRateLimited:        {429, 1429, true, RetryLater, "Too many requests."},
		gateway.CodeUnavailable:        {503, 1503, true, RetryLater, "The upstream server is not available now; nothing was executed."},
		gateway.CodeBusinessError:      {200, 1200, true, RetryChanged, "The upstream server refused the call."},
		gateway.CodeExecutionError:     {502, 1502, true, RetryReads, "The upstream server failed while executing the call."},
		gateway.CodeTimeout:            {504, 1504, true, RetryReads, "The upstream server did not answer in time."},
		gateway.CodeOutcomeUnknown:     {502, 1506, true, RetrySameKey, "The call was sent, but its outcome is unknown: it may have been executed."},
		gateway.CodeContractViolation:  {502, 1507, true, RetryNo, "The upstream's result broke its contract and was withheld; the call was executed."},
		gateway.CodeAuditUnavailable:   {503, 1508, true, RetryLater, "The call could not be put on record."},
		gateway.CodePolicyUnavailable:  {503, 1509, true, RetryLater, "Policy gave no decision, so the call is refused."},
		gateway.CodeCancelled:          {499, 1499, true, RetryReads, "The caller went away."},
		gateway.CodeInternal:           {500, -32603, true, RetryLater, "Internal error."},
		gateway.CodeBatch:              {400, -32600, false, RetryNo, "JSON-RPC batches are not supported: send one message per request."},
		gateway.CodeSessionUnknown:     {404, 1440, false, RetryNo, "There is no such session: initialize anew."},
		gateway.CodeSessionLimit:       {429, 1441, false, RetryLater, "As many sessions are open as may be: end one, or wait until one expires."},
		gateway.CodeSubscriptionLimit:  {429, 1442, false, RetryLater, "As many subscriptions are open as may be: end one first."},
		gateway.CodeUnknownPrompt:      {400, -32602, false, RetryNo, "Unknown prompt."},
		gateway.CodeUnknownResource:    {400, -32602, false, RetryNo, "Resource not found."},
		gateway.CodeStateInvalid:       {400, 1510, false, RetryNo, "The request state is not one that was given to this caller for this call, or its time is over."},
		gateway.CodeWithheld:           {403, 1512, true, RetryNo, "Policy withheld the result; the call was executed."},
		gateway.CodeAskRefused:         {502, 1511, true, RetryNo, "The upstream server asked for what it may not ask for, or was not answered; the call was not completed."},

		gateway.CodeMalformedCredential: {400, 1400, false, RetryNo, "One credential is wanted, in one Authorization header."},
		gateway.CodeInsufficientScope:   {403, 1006, false, RetryNo, "The credential does not hold the scopes that this needs."},
		gateway.CodeIssuerUnavailable:   {503, 1513, false, RetryLater, "The credential could not be checked now."},
		gateway.CodeInProgress:          {409, 1521, true, RetryLater, "A call with this idempotency key is under way; this one was not sent."},
		gateway.CodeIdempotencyConflict: {409, 1522, true, RetryNo, "This idempotency key stands for a call with other arguments; nothing was executed."},
		gateway.CodeMissingExternalID:   {502, 1523, true, RetryNo, "The upstream reported success without the evidence that the review asks for; the call was executed."},
		gateway.CodeApprovalInvalid:     {403, 1525, true, RetryNo, "The approval is not for this very call, or it is over; nothing was executed."},
		gateway.CodeApprovalTimeout:     {403, 1526, true, RetryApproved, "Nobody answered in time; nothing was executed."},
		gateway.CodeUserDenied:          {403, 1527, true, RetryNo, "A person said no to this call; nothing was executed."},
		gateway.CodeHandleInvalid:       {403, 1528, true, RetryChanged, "A handle among the arguments was not given to this caller, or its time is over; nothing was executed."},
		gateway.CodeNotKept:             {410, 1529, true, RetryNo, "This call was executed before and its outcome is on record; its result is not kept."},
		gateway.CodeReceiptUnavailable:  {503, 1524, true, RetrySameKey, "The ledger of side effects could not be used."},
	}
}

// Loud says whether a refusal is one that the operator must hear of: something is
// wrong with the gateway itself.
func Loud(code gateway.Code) bool {
	switch code {
	case gateway.CodeInternal, gateway.CodeAuditUnavailable, gateway.CodeReceiptUnavailable:
		return true
	}
	return false
}

// rpcCode refines a row where one code has two JSON-RPC codes by the standard.
func rpcCode(r *Refusal, row Row) int {
	switch {
	case r.Err.Code == gateway.CodeMalformed:
		return protocol.RPCCodeOf(r.Err)
	case r.Err.Code == gateway.CodeUnknownResource && r.Legacy:
		return protocol.RPCResourceNotFound
	}
	return row.RPC
}

// forModels says whether a refusal of tools/call is a tool result. Hosts of
// revisions before 2026-07-28 know of no error that asks for a capability, nor of
// one that asks for scopes in the middle of a session.
func forModels(r *Refusal, row Row) bool {
	return row.Tool || r.Legacy && (r.Err.Code == gateway.CodeMissingCapability || r.Err.Code == gateway.CodeInsufficientScope)
}

// ofHTTP says whether a refusal is one of the transport rather than of a
// request. Revisions before 2026-07-28 know no other statuses: the error of a
// request travels there as HTTP 200, and their hosts read no body beside 4xx.
func ofHTTP(code gateway.Code) bool {
	switch code {
	case gateway.CodeMalformed, gateway.CodeTooLarge, gateway.CodeHeaderMismatch, gateway.CodeUnsupportedVersion,
		gateway.CodeUnauthenticated, gateway.CodeForbiddenOrigin, gateway.CodeMediaType, gateway.CodeNotAcceptable, gateway.CodeRequestTimeout, gateway.CodeMethodNotAllowed,
		gateway.CodeNotFound, gateway.CodeRateLimited, gateway.CodeBatch, gateway.CodeSessionUnknown, gateway.CodeSessionLimit,
		gateway.CodeMalformedCredential, gateway.CodeIssuerUnavailable:
		return true
	}
	return false
}
