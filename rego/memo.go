package rego

import (
	"crypto/sha256"

	"mcp-gateway/rego/answer"
	"mcp-gateway/rego/reads"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Needs says which facts, that cost something to find out, a policy looks at.
type Needs struct {
	Arguments, Responses, Time, Approval, History, Host, Server bool
}

func needsOf(r reads.Reads) Needs {
	return Needs{
		Arguments: r.Any("resource.arguments"), Responses: r.Any("context.responses_untrusted"), Time: r.Any("context.time"),
		Approval: r.Any("context.approval"), History: r.Any("context.history"),
		Host: r.Any("context.host_untrusted"), Server: r.Any("context.server_untrusted"),
	}
}

// Needs says what of a Context the policy looks at, in any phase.
func (e *Engine) Needs() Needs {
	a, b := e.needs, e.after
	return Needs{
		Arguments: a.Arguments, Responses: a.Responses, Time: a.Time || b.Time, Approval: a.Approval || b.Approval,
		History: a.History || b.History, Host: a.Host || b.Host, Server: a.Server || b.Server,
	}
}

// keptDecisions bounds the memo: some hundred bytes each.
const keptDecisions = 8192

// memo keeps answers. Policy is a function of its input alone, so an answer holds
// for every question that agrees in all that the compiled policy looks at; that
// is what the key is made of. It is part of one Engine: another policy begins
// with none.
type memo struct {
	reads struct{ resource, arguments, action, era, revision, transport bool }
	kept  *lru.Cache[memoKey, *answer.Answer]
}

// memoKey is all that an answer can depend on. A Resource never changes and is
// told by its address; a changed review is another Resource.
type memoKey struct {
	subject, arguments               [sha256.Size]byte
	resource                         *Resource
	action, era, revision, transport string
}

// newMemo returns nil for a policy that looks at what changes from call to call:
// time, counters, approvals, answers and claims, or the input as a whole.
func newMemo(r reads.Reads) (*memo, error) {
	n := needsOf(r)
	if n.Time || n.Approval || n.History || n.Responses || n.Host || n.Server {
		return nil, nil
	}
	m := &memo{}
	m.reads.resource = r.Any("resource.id") || r.Any("resource.type") || r.Any("resource.properties")
	m.reads.arguments = n.Arguments
	m.reads.action = r.Any("action")
	m.reads.era, m.reads.revision, m.reads.transport = r.Any("context.era"), r.Any("context.revision"), r.Any("context.transport")
	var err error
	m.kept, err = lru.New[memoKey, *answer.Answer](keptDecisions)
	return m, err
}

func (m *memo) key(who *subject, r *Resource, args []byte, c *Context) memoKey {
	k := memoKey{subject: who.digest}
	if m.reads.resource {
		k.resource = r
	}
	if m.reads.arguments {
		k.arguments = sha256.Sum256(args)
	}
	if m.reads.action {
		k.action = c.Action
	}
	if m.reads.era {
		k.era = c.Era
	}
	if m.reads.revision {
		k.revision = c.Revision
	}
	if m.reads.transport {
		k.transport = c.Transport
	}
	return k
}

func (m *memo) get(k *memoKey) (*answer.Answer, bool) { return m.kept.Get(*k) }

func (m *memo) put(k *memoKey, a *answer.Answer) { m.kept.Add(*k, a) }
