package signs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-gateway/audit/journal"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
	"mcp-gateway/telemetry"
)

// errNotReady is the cause of a check that fails.
var errNotReady = errors.New("not ready")

// Checks are the things without which no call can be served.
func Checks(corridor *proxy.Gateway, j *journal.Journal) []telemetry.Check {
	holds := func(ok bool) error {
		if ok {
			return nil
		}
		return errNotReady
	}
	return []telemetry.Check{
		{Name: "config", Run: func(context.Context) error { return holds(corridor.World() != nil) }},
		{Name: "policy", Run: func(context.Context) error { w := corridor.World(); return holds(w != nil && w.Policy.Ready()) }},
		{Name: "journal", Run: func(context.Context) error { return j.Err() }},
	}
}

// Standing is what /status shows: nothing of callers, nothing that a server wrote.
type Standing struct {
	Version   string            `json:"version"`
	Replica   string            `json:"replica"`
	Boot      uint64            `json:"boot"`
	Uptime    string            `json:"uptime"`
	Refused   []gateway.Reason  `json:"refused,omitempty"`        // why the files as they are now are not in force; none where they are
	Waits     bool              `json:"operators_wait,omitempty"` // their listener's address is in use, so that it is not served yet
	Policy    string            `json:"policy"`
	Bundles   Bundles           `json:"bundles,omitempty"` // where policy is delivered
	Upstreams []upstreamStands  `json:"upstreams"`
	Tools     map[string]uint64 `json:"tools"` // how many stand in which state
}

type upstreamStands struct {
	ID       string `json:"id"`
	Up       bool   `json:"up"`
	Reason   string `json:"reason,omitempty"`
	Era      string `json:"era,omitempty"`
	Revision string `json:"revision,omitempty"`
}

// Stand tells how a gateway of a version stands that has been up for a while.
func Stand(version string, up time.Duration, j *journal.Journal, corridor *proxy.Gateway, r *registry.Registry, bundles Bundles) Standing {
	w := j.Writer()
	s := Standing{
		Version: version, Replica: string(w.Replica), Boot: w.Boot,
		Uptime: up.Round(time.Second).String(), Bundles: bundles, Tools: map[string]uint64{},
	}
	world := corridor.World()
	if world == nil {
		return s
	}
	s.Policy = world.Policy.Revision()
	for id, up := range world.Upstreams {
		f := up.Fact()
		s.Upstreams = append(s.Upstreams, upstreamStands{id, f.Up, f.Reason, f.Era, f.Revision})
	}
	slices.SortFunc(s.Upstreams, func(a, b upstreamStands) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range r.Observations() {
		if o.ID.Kind == gateway.KindTool {
			s.Tools[string(o.State)]++
		}
	}
	return s
}

// Lines are what /readyz?verbose shows beside its checks: what does not keep the
// gateway from serving, and is worth knowing where it is asked for.
func (s *Standing) Lines(now time.Time) []string {
	var out []string
	if len(s.Refused) > 0 {
		out = append(out, fmt.Sprintf("config changes_refused codes=%v", s.Refused))
	}
	if s.Waits {
		out = append(out, "operators not_listening reason=address_in_use")
	}
	for _, u := range s.Upstreams {
		line := "upstream " + u.ID + " up"
		if !u.Up {
			line = "upstream " + u.ID + " down reason=" + cmp.Or(u.Reason, "connecting")
		}
		out = append(out, line)
	}
	return append(out, s.Bundles.Lines(now)...)
}
