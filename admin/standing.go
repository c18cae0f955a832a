package admin

import (
	"net/http"

	"mcp-gateway/auth/staff"
)

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
