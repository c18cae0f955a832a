package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
)

// Code says why a request was refused. The codes of package office come beside these.
type Code string

// The codes.
const (
	Malformed       Code = "malformed_request"
	Unauthenticated Code = "unauthenticated"
	Forbidden       Code = "forbidden" // no role of the key holds what was asked
	Unknown         Code = "not_found"
	TooMany         Code = "rate_limited"
	Slow            Code = "timeout" // it goes on, and takes longer than an answer may
	Internal        Code = "internal"
)

// fault is a refusal: its HTTP status, code and sentence.
type fault struct {
	status  int
	code    string
	message string
}

// faultOf is what an error is answered with. What is not known is internal, and its
// cause stays with the operator.
func faultOf(err error) fault {
	var r office.Refusal
	if !errors.As(err, &r) {
		return fault{http.StatusInternalServerError, string(Internal), "It could not be done; the operator's log says why."}
	}
	f := fault{http.StatusConflict, string(r), ""}
	switch r {
	case office.NoTicket:
		f.status, f.message = http.StatusNotFound, "There is no such ticket."
	case office.Settled:
		f.message = "It was decided already, or its time is over."
	case office.NoReason:
		f.status, f.message = http.StatusBadRequest, "Say why, in at most 500 bytes."
	case office.NotRemembered:
		f.message = "The policy lets no consent stand for later calls here."
	case office.Unrecorded:
		f.status, f.message = http.StatusServiceUnavailable, "It could not be put on record, so it was not done."
	case office.Refusal(approval.ReasonOwnCall):
		f.status, f.message = http.StatusForbidden, "This is your own call: another person must approve it."
	case office.Refusal(approval.ReasonNoGroup):
		f.status, f.message = http.StatusForbidden, "The policy asks for an approver of a group in which you are not."
	case office.Refusal(approval.ReasonUnseen):
		f.message = "What the call brought can't be shown any more, so nobody can approve it."
	}
	return f
}

// Worded is a refusal as a sentence, with its code.
func Worded(r office.Refusal) string { f := faultOf(r); return f.message + " (" + f.code + ")" }

func (f fault) send(w http.ResponseWriter) {
	var t Trouble
	t.Error.Code, t.Error.Message = f.code, f.message
	send(w, f.status, &t)
}

func refuse(w http.ResponseWriter, status int, code Code, message string) {
	fault{status, string(code), message}.send(w)
}

func tooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	refuse(w, http.StatusTooManyRequests, TooMany, "Too many wrong keys; wait.")
}

func send(w http.ResponseWriter, status int, body any) {
	var text bytes.Buffer
	plain := json.NewEncoder(&text)
	plain.SetEscapeHTML(false)
	if err := plain.Encode(body); err != nil {
		text.Reset()
		text.WriteString(`{"error":{"code":"internal","message":"It could not be told."}}`)
		status = http.StatusInternalServerError
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // whoever asked may have gone
}
