package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// refreshTime is how long an answer waits for an upstream's list, which is less than a
// listener takes for an answer.
const refreshTime = 25 * time.Second

// Refreshed says what a fresh look at an upstream gave.
type Refreshed struct {
	Upstream string         `json:"upstream"`
	Listed   bool           `json:"listed"` // its list was fetched, and is what is served by
	Reason   gateway.Reason `json:"reason,omitempty"`
}

// Tool is how one tool stands. All of it is ours or reviewed; nothing that an upstream
// wrote is told.
type Tool struct {
	Upstream   string `json:"upstream"`
	Name       string `json:"name"`
	State      string `json:"state"`
	Definition string `json:"definition"`
	SideEffect string `json:"side_effect,omitempty"`
	Owner      string `json:"owner,omitempty"`
}

func (a *API) status(w http.ResponseWriter, _ *http.Request, _ *staff.Member) {
	send(w, http.StatusOK, a.o.Status())
}

func (a *API) upstreams(w http.ResponseWriter, _ *http.Request, _ *staff.Member) {
	send(w, http.StatusOK, map[string]any{"upstreams": a.o.Upstreams()})
}

func (a *API) tools(w http.ResponseWriter, _ *http.Request, _ *staff.Member) {
	send(w, http.StatusOK, map[string]any{"tools": a.o.Tools()})
}

// refresh fetches the list of one upstream. One that is down is told of, and no refusal.
func (a *API) refresh(w http.ResponseWriter, r *http.Request, _ *staff.Member) {
	ctx, cancel := context.WithTimeout(r.Context(), refreshTime)
	defer cancel()
	known, err := a.o.Refresh(ctx, r.PathValue("id"))
	told := Refreshed{Upstream: r.PathValue("id"), Listed: err == nil}
	var down *gateway.Error
	switch {
	case !known:
		refuse(w, http.StatusNotFound, Unknown, "There is no such upstream.")
		return
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		refuse(w, http.StatusGatewayTimeout, Slow, "Its list is not here yet; the gateway goes on asking for it.")
		return
	case errors.As(err, &down):
		if len(down.Reasons) > 0 {
			told.Reason = down.Reasons[0]
		}
	case err != nil:
		a.fail(w, err)
		return
	}
	send(w, http.StatusOK, &told)
}
