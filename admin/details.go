package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// Detail is what is kept of one call: its arguments as they came.
type Detail struct {
	Action    string          `json:"action"`
	Expires   time.Time       `json:"expires"`
	Arguments json.RawMessage `json:"arguments"`
}

// detail: ?reason=WORD, which is put on record with who looked before anything is shown.
func (a *API) detail(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	action, ok := audit.ParseID(r.PathValue("action"))
	given := r.URL.Query()
	why := gateway.Reason(given.Get("reason"))
	if !ok || len(given) != 1 || len(given["reason"]) != 1 || !slices.Contains(detail.Reasons(), why) {
		refuse(w, http.StatusBadRequest, Malformed, "Wants the id of an action, and why as reason: dispute, incident, replay, review or subject_request.")
		return
	}
	shown, err := a.o.Detail(r.Context(), who, action, why)
	if errors.Is(err, detail.ErrNone) {
		refuse(w, http.StatusNotFound, Unknown, "Nothing is kept of that action.")
		return
	}
	if err != nil {
		a.fail(w, err)
		return
	}
	send(w, http.StatusOK, &shown)
}
