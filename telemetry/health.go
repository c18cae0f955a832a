package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Check is one thing without which the gateway is not ready.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// Health serves whether the gateway is alive and ready, its metrics and its
// status. It belongs on a listener of its own, on loopback: it asks for no
// credential, and tells nothing of callers.
type Health struct {
	Telemetry *Telemetry // nil: no metrics
	Checks    []Check
	Details   func() []string // lines that /readyz?verbose shows below the checks; nil = none
	Status    func() any      // what /status shows, as JSON
}

// checkTime is how long all checks may take.
const checkTime = 2 * time.Second

// Handler serves GET /livez, /readyz (with ?verbose each check), /metrics and
// /status. Nothing of it is audited.
func (h *Health) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", h.ready)
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(h.Status()) // the asker has left
	})
	if h.Telemetry != nil && h.Telemetry.scraped != nil {
		mux.Handle("GET /metrics", h.Telemetry.scraped)
	}
	return loopback(mux)
}

// ready says 200 if every check holds, else 503. Causes stay with the operator's
// log: which check failed is enough to look there.
func (h *Health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	var told strings.Builder
	status := http.StatusOK
	for _, c := range h.Checks {
		word := "ok"
		if err := c.Run(ctx); err != nil {
			word, status = "failed", http.StatusServiceUnavailable
		}
		fmt.Fprintf(&told, "%s %s\n", c.Name, word)
	}
	w.WriteHeader(status)
	if r.URL.Query().Has("verbose") || status != http.StatusOK {
		fmt.Fprint(w, told.String())
		if h.Details != nil {
			for _, line := range h.Details() {
				fmt.Fprintln(w, line)
			}
		}
		return
	}
	fmt.Fprintln(w, "ok")
}

// loopback refuses names other than those of this machine, so that no page in a
// browser can read what is served here by a name of its own (DNS rebinding).
func loopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			host = host[:i]
		}
		switch host {
		case "localhost", "127.0.0.1", "[::1]":
			next.ServeHTTP(w, r)
		default:
			http.Error(w, "ask by a loopback address", http.StatusForbidden)
		}
	})
}
