package gateway

import (
	"strings"
	"time"
)

// Code is the closed vocabulary of refusals. How each travels to a host stands
// in one table, proxy/reply.go.
type Code string

// The codes. Every one of them has a row in the reply table.
const (
	CodeMalformed          Code = "malformed_request"
	CodeTooLarge           Code = "too_large"
	CodeUnknownMethod      Code = "unknown_method"
	CodeHeaderMismatch     Code = "header_mismatch"
	CodeUnsupportedVersion Code = "unsupported_version"
	CodeMissingCapability  Code = "missing_capability"
	CodeInvalidParams      Code = "invalid_params"
	CodeUnknownTool        Code = "unknown_tool"
	CodeUnauthenticated    Code = "unauthenticated"
	CodeForbiddenOrigin    Code = "forbidden_origin"
	CodeMediaType          Code = "unsupported_media_type"
	CodeNotAcceptable      Code = "not_acceptable"
	CodeRequestTimeout     Code = "request_timeout" // its host stalled while it sent it
	CodeMethodNotAllowed   Code = "method_not_allowed"
	CodeNotFound           Code = "not_found"
	CodeInvalidArguments   Code = "invalid_arguments"
	CodeForbidden          Code = "forbidden"
	CodeApprovalRequired   Code = "approval_required"
	CodeQuarantined        Code = "quarantined"
	CodeRateLimited        Code = "rate_limited"
	CodeUnavailable        Code = "unavailable"
	CodeBusinessError      Code = "business_error"
	CodeExecutionError     Code = "execution_error"
	CodeTimeout            Code = "timeout"
	CodeOutcomeUnknown     Code = "outcome_unknown"
	CodeContractViolation  Code = "contract_violation"
	CodeAuditUnavailable   Code = "audit_unavailable"
	CodePolicyUnavailable  Code = "policy_unavailable"
	CodeCancelled          Code = "cancelled"
	CodeInternal           Code = "internal"

	CodeBatch          Code = "batch_unsupported"
	CodeSessionUnknown Code = "session_unknown"
	CodeSessionLimit   Code = "session_limit"

	CodeSubscriptionLimit Code = "subscription_limit"

	CodeUnknownPrompt   Code = "unknown_prompt"
	CodeUnknownResource Code = "unknown_resource"
	CodeStateInvalid    Code = "state_invalid"
	CodeAskRefused      Code = "ask_refused"

	CodeMalformedCredential Code = "malformed_credential" // sent twice, in the URL, or too large to be one
	CodeInsufficientScope   Code = "insufficient_scope"   // of a visible item; scope is all that is missing
	CodeIssuerUnavailable   Code = "issuer_unavailable"   // who issued a token can't be asked about it now
	CodeWithheld            Code = "result_withheld"      // policy does not release what came back
	CodeInProgress          Code = "in_progress"
	CodeIdempotencyConflict Code = "idempotency_conflict"
	CodeMissingExternalID   Code = "missing_external_id"
	CodeReceiptUnavailable  Code = "receipt_unavailable"
	CodeApprovalInvalid     Code = "approval_invalid" // a ticket that is not for this call, or is over
	CodeApprovalTimeout     Code = "approval_timeout"
	CodeUserDenied          Code = "user_denied"
	CodeHandleInvalid       Code = "handle_invalid"  // an argument that was given to somebody else, or is over
	CodeNotKept             Code = "result_not_kept" // of a call that ran before under its key
)

// Codes lists every code, in the order of their declaration, for tests and docs
// that must range over all.
func Codes() []Code {
	return []Code{
		CodeMalformed, CodeTooLarge, CodeUnknownMethod, CodeHeaderMismatch, CodeUnsupportedVersion,
		CodeMissingCapability, CodeInvalidParams, CodeUnknownTool, CodeUnauthenticated,
		CodeForbiddenOrigin, CodeMediaType, CodeNotAcceptable, CodeRequestTimeout, CodeMethodNotAllowed, CodeNotFound,
		CodeInvalidArguments, CodeForbidden, CodeApprovalRequired, CodeQuarantined,
		CodeRateLimited, CodeUnavailable, CodeBusinessError, CodeExecutionError, CodeTimeout,
		CodeOutcomeUnknown, CodeContractViolation, CodeAuditUnavailable, CodePolicyUnavailable,
		CodeCancelled, CodeInternal, CodeBatch, CodeSessionUnknown, CodeSessionLimit,
		CodeSubscriptionLimit,
		CodeUnknownPrompt, CodeUnknownResource, CodeStateInvalid, CodeAskRefused,
		CodeMalformedCredential, CodeInsufficientScope, CodeIssuerUnavailable,
		CodeWithheld,
		CodeInProgress, CodeIdempotencyConflict, CodeMissingExternalID, CodeReceiptUnavailable,
		CodeApprovalInvalid, CodeApprovalTimeout, CodeUserDenied, CodeHandleInvalid, CodeNotKept,
	}
}

// Error is a refusal or failure with its code. Code, Reasons, Field, Violations and Needs may
// be shown to a host that may see the tool; Stage and Err are for the
// operator's log and the event, and never leave the gateway.
type Error struct {
	Code       Code
	Stage      string
	Reasons    []Reason
	Field      string        // for CodeInvalidParams and CodeHeaderMismatch: the member of the protocol's own, as a JSON Pointer into the message, or its header; "" = not said
	Violations []Violation   // for CodeInvalidArguments, sorted by pointer
	RetryAfter time.Duration // for CodeRateLimited and CodeUnavailable; 0 = unknown
	Scopes     []string      // for CodeInsufficientScope: all that the operation needs
	Needs      []byte        // for CodeMissingCapability: the capabilities to declare, a raw object
	Ask        []byte        // for CodeApprovalRequired: the result that asks a modern host instead, a raw object
	Ticket     string        // for CodeApprovalRequired: what a person must approve
	Until      time.Time     // for CodeApprovalRequired: until when
	Page       string        // for CodeApprovalRequired: where a person answers it, a URL; "" = there is no console
	Receipt    []byte        // of a call with side effects: its signed receipt, a raw object
	Err        error         // the cause; logged, never sent
}

// Fail returns an Error of the code with its reasons.
func Fail(code Code, reasons ...Reason) *Error { return &Error{Code: code, Reasons: reasons} }

// Wrong returns an Error of the code about a member of the protocol's own, named by a
// JSON Pointer into the message, or about a header.
func Wrong(code Code, field string) *Error { return &Error{Code: code, Field: field} }

// Because returns an Error of the code that was caused by err.
func Because(code Code, err error, reasons ...Reason) *Error {
	return &Error{Code: code, Err: err, Reasons: reasons}
}

// Error implements error, for logs. It names the cause and must not be sent.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Stage != "" {
		b.WriteString(" at " + e.Stage)
	}
	for _, r := range e.Reasons {
		b.WriteString(" " + string(r))
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
