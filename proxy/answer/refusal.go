package answer

import (
	"strconv"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// MetaError is the key under which a refusal stands in a result's _meta, as
// the object that JSON-RPC errors carry as data.
const MetaError = "mcp-gateway/error"

// MetaReceipt is the key under which a receipt stands in a result's _meta.
const MetaReceipt = "mcp-gateway/receipt"

// Refusal is a failed call as its answer tells of it.
type Refusal struct {
	Err       *gateway.Error
	Call      audit.ID // names the call to the operator
	Action    audit.ID // of a call that was let through; zero = none
	Of        audit.ID // the earlier action that it is about; zero = none
	Request   []byte   // the JSON-RPC id; nil = none
	Tool      bool     // it is a tools/call, so that a model may read the answer
	Requested string   // the revision that was asked for
	URI       string   // the resource that was asked for, as it came
	Legacy    bool     // the host speaks a revision before 2026-07-28
	Keyless   bool     // the host gave the call no idempotency key: its repeat is another call
}

// about is the action that the refusal speaks of; zero = none.
func (r *Refusal) about() audit.ID {
	if !r.Of.IsZero() {
		return r.Of
	}
	return r.Action
}

// Table renders refusals by Rows.
type Table struct{ rows map[gateway.Code]Row }

// keyless is said beside what a repeat with the same key would have cleared up. A minted
// key is no help: it tells the gateway's own sending apart, and no later call.
const keyless = " It came without an idempotency key, so a repeat is another call: do not repeat it before its outcome is known. Whoever runs the gateway can say what became of it."

// NewTable returns the table.
func NewTable() *Table { return &Table{rows: Rows()} }

// Render returns the HTTP status and the JSON-RPC response.
func (t *Table) Render(r Refusal) (status int, body []byte) {
	row := t.rows[r.Err.Code]
	if row.Retry == RetrySameKey && r.Keyless {
		row.Retry = RetryNo
		if r.Err.Code == gateway.CodeOutcomeUnknown {
			row.Sentence += keyless
		}
	}
	if r.Tool && r.Request != nil && forModels(&r, row) {
		return 200, protocol.AppendResponse(nil, r.Request, appendToolError(nil, &r, row))
	}
	status = row.Status
	if r.Legacy && !ofHTTP(r.Err.Code) {
		status = 200
	}
	return status, protocol.AppendErrorResponse(nil, r.Request, rpcCode(&r, row), row.Sentence, appendData(nil, &r, row))
}

// Seconds rounds a time to wait up to whole seconds.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// appendToolError renders a refusal as a tool result that a model can read.
func appendToolError(dst []byte, r *Refusal, row Row) []byte {
	var text strings.Builder
	text.WriteString(string(r.Err.Code))
	text.WriteString(": ")
	text.WriteString(row.Sentence)
	for i, v := range r.Err.Violations {
		text.WriteString([2]string{" ", "; "}[min(i, 1)])
		text.WriteString(v.Pointer + " (" + v.Keyword + ")")
	}
	if r.Err.Code == gateway.CodeInsufficientScope && len(r.Err.Scopes) > 0 { // reviewed words
		text.WriteString(" It needs " + strings.Join(r.Err.Scopes, " ") + ".")
	}
	if r.Keyless && r.Err.Code == gateway.CodeOutcomeUnknown && !r.about().IsZero() {
		text.WriteString(" Its action is " + r.about().String() + ".")
	}
	if r.Err.Ticket != "" {
		text.WriteString(" Ticket " + r.Err.Ticket + ".")
	}
	if r.Err.Page != "" {
		text.WriteString(" A person answers it at " + r.Err.Page)
	}
	if r.Err.RetryAfter > 0 {
		text.WriteString(" Retry after " + strconv.Itoa(int((r.Err.RetryAfter + 999_999_999).Seconds())) + " s.")
	}
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = protocol.AppendString(dst, text.String())
	dst = append(dst, `}],"isError":true,`...)
	if !r.Legacy {
		dst = append(dst, `"resultType":"complete",`...)
	}
	dst = append(dst, `"_meta":{"`+MetaError+`":`...)
	dst = appendData(dst, r, row)
	if r.Err.Receipt != nil {
		dst = append(append(dst, `,"`+MetaReceipt+`":`...), r.Err.Receipt...)
	}
	return append(dst, `}}`...)
}

// appendData renders what a program may know of a refusal.
func appendData(dst []byte, r *Refusal, row Row) []byte {
	dst = append(dst, `{"code":`...)
	dst = protocol.AppendString(dst, string(r.Err.Code))
	dst = append(dst, `,"retry":"`...)
	dst = append(dst, row.Retry...)
	dst = append(dst, `","id":`...)
	dst = protocol.AppendString(dst, r.Call.String())
	if action := r.about(); !action.IsZero() {
		dst = append(dst, `,"action_id":`...)
		dst = protocol.AppendString(dst, action.String())
	}
	if r.Err.Ticket != "" {
		dst = protocol.AppendString(append(dst, `,"approval":{"id":`...), r.Err.Ticket)
		dst = protocol.AppendString(append(dst, `,"expires":`...), r.Err.Until.UTC().Format(time.RFC3339))
		if r.Err.Page != "" {
			dst = protocol.AppendString(append(dst, `,"url":`...), r.Err.Page)
		}
		dst = append(dst, '}')
	}
	if reasons := shown(r); len(reasons) > 0 {
		dst = append(dst, `,"reasons":[`...)
		for i, reason := range reasons {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = protocol.AppendString(dst, string(reason))
		}
		dst = append(dst, ']')
	}
	if r.Err.Field != "" {
		dst = protocol.AppendString(append(dst, `,"field":`...), r.Err.Field)
	}
	if len(r.Err.Violations) > 0 {
		dst = append(dst, `,"violations":[`...)
		for i, v := range r.Err.Violations {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"pointer":`...)
			dst = protocol.AppendString(dst, v.Pointer)
			dst = append(dst, `,"keyword":`...)
			dst = protocol.AppendString(dst, v.Keyword)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return append(appendStandard(dst, r), '}')
}

// appendStandard adds what the protocol says of a code's data.
func appendStandard(dst []byte, r *Refusal) []byte {
	switch {
	case r.Err.Code == gateway.CodeUnsupportedVersion:
		return appendVersions(dst, r)
	case r.Err.Code == gateway.CodeMissingCapability && r.Err.Needs != nil:
		return append(append(dst, `,"requiredCapabilities":`...), r.Err.Needs...)
	case r.Err.Code == gateway.CodeInsufficientScope:
		return appendTexts(append(dst, `,"scopes":`...), r.Err.Scopes)
	case r.Err.Code == gateway.CodeUnknownResource && r.URI != "":
		return protocol.AppendString(append(dst, `,"uri":`...), r.URI)
	}
	return dst
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, s := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = protocol.AppendString(dst, s)
	}
	return append(dst, ']')
}

// shown returns the reasons that the host may know. Why a name is unknown
// (absent, quarantined, hidden) is told to nobody but the event.
func shown(r *Refusal) []gateway.Reason {
	switch r.Err.Code {
	case gateway.CodeUnknownTool, gateway.CodeUnknownPrompt, gateway.CodeUnknownResource, gateway.CodeInternal, gateway.CodeHandleInvalid:
		return nil
	}
	return r.Err.Reasons
}

// appendVersions adds what an UnsupportedProtocolVersionError carries.
func appendVersions(dst []byte, r *Refusal) []byte {
	served := []string{protocol.Revision20260728}
	if r.Legacy {
		served = protocol.LegacyRevisions()
	}
	dst = append(dst, `,"supported":["`+strings.Join(served, `","`)+`"],"requested":`...)
	return protocol.AppendString(dst, r.Requested)
}
