package registry

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
)

// Snapshot is what is served at one moment. It is immutable: a call resolves in
// one snapshot and keeps it, whatever is published meanwhile.
type Snapshot struct {
	revision     uint64
	exposure     string
	tables       map[string]*table // by scope: "" = all upstreams, else one upstream's id
	observations []Observation
}

// table is what one endpoint serves. Names that are known but not served stand
// in it too, so that resolving them is the same work.
type table struct {
	names map[string]entry
	tools []*Tool // sorted by the name that this scope gives them
}

type entry struct {
	tool   *Tool
	reason gateway.Reason // why there is no tool
}

// Tool is one served tool. It is shared between calls and not to be written.
type Tool struct {
	ID          gateway.ToolID
	Exposed     string // its name on the endpoint for all upstreams
	Definition  *Definition
	Record      *Record // nil when its upstream is trusted without review
	Facts       *gateway.ExposureFacts
	Findings    []gateway.Finding // what is suspicious in the definition, waived or not grave
	Fragment    []byte            // its rendering for hosts under Exposed
	OwnFragment []byte            // its rendering under its own name, for the upstream's own endpoint
	Index       int               // its place in Tools("") of this snapshot, for bit sets
	Timeout     time.Duration     // of one call; 0 = the upstream's
}

// Pinned proves that a tool was resolved: a served tool, with the definition
// that a reviewer approved. Only Resolve makes one; the zero value proves
// nothing and is refused wherever one is needed.
type Pinned struct {
	tool     *Tool
	revision uint64
}

// Valid says whether p came from Resolve.
func (p Pinned) Valid() bool { return p.tool != nil }

// Tool returns the tool; nil for the zero value.
func (p Pinned) Tool() *Tool { return p.tool }

// Revision returns the revision of the snapshot in which p was resolved.
func (p Pinned) Revision() uint64 { return p.revision }

// Revision counts the changes of what is served: equal revisions of one
// registry serve the same tools, rendered alike, under the same indexes.
func (s *Snapshot) Revision() uint64 { return s.revision }

// Exposure returns the revision of the reviewers' records that hold.
func (s *Snapshot) Exposure() string { return s.exposure }

// Tools returns what is served: for scope "" all tools sorted by exposed name,
// else the tools of that upstream sorted by their own name. The slice is shared
// and not to be written.
func (s *Snapshot) Tools(scope string) []*Tool {
	if t := s.tables[scope]; t != nil {
		return t.tools
	}
	return nil
}

// Resolve returns the tool that a name means in a scope, byte for byte, or why
// there is none. A host must not learn which reason it was: absent and held
// back are the same work here and must be the same answer.
func (s *Snapshot) Resolve(scope, name string) (Pinned, gateway.Reason) {
	var found entry
	if t := s.tables[scope]; t != nil {
		found = t.names[name]
	}
	switch {
	case found.tool != nil:
		return Pinned{tool: found.tool, revision: s.revision}, ""
	case found.reason != "":
		return Pinned{}, found.reason
	default:
		return Pinned{}, gateway.ReasonToolAbsent
	}
}

// Holds says whether this snapshot still serves a tool that was resolved in an
// earlier one with the very same definition: "" if so, else why not.
func (s *Snapshot) Holds(p Pinned) gateway.Reason {
	if !p.Valid() {
		return gateway.ReasonToolAbsent
	}
	now, reason := s.Resolve(p.tool.ID.Upstream, p.tool.ID.Tool)
	if reason != "" {
		return reason
	}
	if now.tool.Definition.Digest != p.tool.Definition.Digest {
		return gateway.ReasonDefinitionChanged
	}
	return ""
}

// file enters the candidates into the tables of their scopes.
func (s *Snapshot) file(all []candidate) {
	for i := range all {
		c := &all[i]
		if c.Exposed == "" {
			continue // what has no name can't be called
		}
		e := entry{tool: c.tool()}
		if e.tool == nil {
			e.reason = c.Reasons[0]
		}
		s.table("").enter(c.Exposed, e)
		s.table(c.ID.Upstream).enter(c.ID.Tool, e)
	}
	for scope, t := range s.tables {
		slices.SortFunc(t.tools, func(a, b *Tool) int {
			if scope == "" {
				return strings.Compare(a.Exposed, b.Exposed)
			}
			return strings.Compare(a.ID.Tool, b.ID.Tool)
		})
	}
	for i, t := range s.Tools("") {
		t.Index = i
	}
}

func (s *Snapshot) table(scope string) *table {
	t := s.tables[scope]
	if t == nil {
		t = &table{names: map[string]entry{}}
		s.tables[scope] = t
	}
	return t
}

func (t *table) enter(name string, e entry) {
	t.names[name] = e
	if e.tool != nil {
		t.tools = append(t.tools, e.tool)
	}
}

// tool returns the served tool, or nil if the candidate is not served.
func (c *candidate) tool() *Tool {
	if c.State != gateway.StateApproved {
		return nil
	}
	t := &Tool{
		ID: c.ID, Exposed: c.Exposed, Definition: c.Definition, Facts: &c.shown.facts, Findings: c.Findings,
		Fragment: c.shown.exposed, OwnFragment: c.shown.own,
	}
	if !c.Trusted {
		t.Record, t.Timeout = c.Record, c.Record.Timeout
	}
	return t
}

// sameServed says whether two snapshots serve the same, so that whatever was
// derived from one holds for the other.
func sameServed(a, b *Snapshot) bool {
	return slices.EqualFunc(a.Tools(""), b.Tools(""), func(x, y *Tool) bool {
		return x.ID == y.ID && x.Exposed == y.Exposed && x.Timeout == y.Timeout &&
			x.Definition.Digest == y.Definition.Digest &&
			slices.Equal(x.Findings, y.Findings) && bytes.Equal(x.Fragment, y.Fragment) && bytes.Equal(x.OwnFragment, y.OwnFragment) &&
			reflect.DeepEqual(x.Facts, y.Facts)
	})
}
