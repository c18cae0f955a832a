package rego

import (
	"crypto/sha256"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/facts"
	"mcp-gateway/rego/parts"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"
)

// Item is what policy is told about one thing that is offered: the reviewer's
// facts and the gateway's own, nothing that the upstream claims.
type Item struct {
	ID         gateway.ItemID
	Exposed    string // the name under which hosts see it
	Definition gateway.Digest
	State      gateway.ExposureState
	Facts      gateway.ExposureFacts // zero without a record: the worst case
	Findings   []gateway.Finding
	Claims     map[string]bool // the upstream's own annotations: read_only, destructive, idempotent, open_world
}

// Resource is an Item as policy sees it. It is built once, when the registry
// publishes a snapshot, and shared by all calls.
type Resource struct {
	id         gateway.ItemID
	definition gateway.Digest
	key        *ast.Term // its id, "upstream/tool"
	facts      *ast.Term // resource.properties
}

// NewResource builds the terms of the item.
func NewResource(t Item) *Resource {
	f := &t.Facts
	idempotent := f.Idempotent
	if idempotent != gateway.IdempotentYes && idempotent != gateway.IdempotentKey {
		idempotent = gateway.IdempotentNo
	}
	known := ast.NewObject(
		text("upstream", t.ID.Upstream),
		text("name", t.ID.Name),
		text("type", t.ID.Kind.String()),
		text("exposed_name", t.Exposed),
		text("definition", string(t.Definition)),
		text("state", string(t.State)),
		text("side_effect", string(f.Class())),
		text("idempotent", string(idempotent)),
		flag("reversible", f.Reversible),
		flag("outbound", !f.Contained),
		flag("open_world", !f.ClosedWorld),
		flag("reads_private", !f.ReadsNoPrivate),
		flag("untrusted_content", !f.TrustedContent),
		texts("scopes", f.Scopes),
		flag("step_up", f.StepUp),
		text("owner", f.Owner),
		member{ast.StringTerm("findings"), findings(t.Findings)},
	)
	for _, m := range facts.Reviewed(f, t.State) {
		known.Insert(m[0], m[1])
	}
	if len(t.Claims) > 0 {
		known.Insert(ast.StringTerm("annotations_untrusted"), claims(t.Claims))
	}
	return &Resource{id: t.ID, definition: t.Definition, key: ast.StringTerm(t.ID.String()), facts: ast.NewTerm(known)}
}

// ID returns which tool the resource is.
func (r *Resource) ID() gateway.ItemID { return r.id }

// claims gives what the upstream claims of the item.
func claims(said map[string]bool) *ast.Term {
	var members []member
	for _, name := range slices.Sorted(maps.Keys(said)) {
		members = append(members, flag(name, said[name]))
	}
	return ast.ObjectTerm(members...)
}

// findings gives codes and severities. Their paths hold names that the upstream
// chose, and stay out.
func findings(list []gateway.Finding) *ast.Term {
	terms := make([]*ast.Term, len(list))
	for i, f := range list {
		terms[i] = ast.ObjectTerm(text("code", f.Code), text("severity", string(f.Severity)))
	}
	slices.SortFunc(terms, func(a, b *ast.Term) int { return a.Value.Compare(b.Value) })
	return ast.ArrayTerm(slices.CompactFunc(terms, (*ast.Term).Equal)...)
}

// Context is the circumstance of a call. What policy does not look at need not
// be given; Engine.Needs says what it looks at.
type Context struct {
	Action    string    // the method: "tools/call", "prompts/get" …; "" = "tools/call"
	Era       string    // "modern" or "legacy"
	Revision  string    // protocol revision, such as "2026-07-28"
	Transport string    // "http" or "stdio"
	Time      time.Time // when the decision is made

	Approval *gateway.ApprovalFact // of this very call; nil = none
	History  *History              // how often the principal called; nil = never
	Host     Claimed               // what the host says of itself
	Server   Claimed               // what the upstream says of itself

	// Responses are what the host answered to what the upstream had asked: strictly
	// checked JSON, an object; empty = the call is no retry, or answers nothing.
	Responses []byte
}

// History counts the calls of one principal before the one in question.
type History struct {
	CallsMinute, CallsHour, ToolCallsHour, WritesHour, DestructiveHour, RefusedHour int
}

// Claimed is a name and version that nobody verified.
type Claimed struct{ Name, Version string }

// kept gives what of the context can be kept.
func (c *Context) kept() []member {
	return append(make([]member, 0, 9), member{names.era, word(c.Era)}, member{names.revision, word(c.Revision)}, member{names.transport, word(c.Transport)})
}

// term gives the context, as far as it is looked at.
func (c *Context) term(n *Needs, responses *ast.Term) *ast.Term {
	members := c.kept()
	if n.Time {
		members = append(members, member{names.time, ast.StringTerm(c.Time.UTC().Format(time.RFC3339Nano))})
	}
	if n.Approval && c.Approval != nil {
		members = append(members, member{names.approval, approval(c.Approval, c.Time)})
	}
	if n.History {
		members = append(members, member{names.history, c.History.term()})
	}
	if n.Host {
		members = append(members, member{names.host, c.Host.term()})
	}
	if n.Server {
		members = append(members, member{names.server, c.Server.term()})
	}
	if responses != nil {
		members = append(members, member{names.responses, responses})
	}
	return ast.ObjectTerm(members...)
}

func approval(a *gateway.ApprovalFact, at time.Time) *ast.Term {
	status := "expired"
	if a.Holds(at) {
		status = "approved"
	}
	return ast.ObjectTerm(text("status", status), text("by", a.Approver), texts("groups", a.ApproverGroups),
		flag("self", a.Self), text("expires", a.Expires.UTC().Format(time.RFC3339Nano)))
}

func (h *History) term() *ast.Term {
	if h == nil {
		h = &History{}
	}
	return ast.ObjectTerm(count("calls_minute", h.CallsMinute), count("calls_hour", h.CallsHour), count("tool_calls_hour", h.ToolCallsHour),
		count("writes_hour", h.WritesHour), count("destructive_hour", h.DestructiveHour), count("refused_hour", h.RefusedHour))
}

func (c Claimed) term() *ast.Term {
	var members []member
	if c.Name != "" {
		members = append(members, text("name", c.Name))
	}
	if c.Version != "" {
		members = append(members, text("version", c.Version))
	}
	return ast.ObjectTerm(members...)
}

// names are the terms of the input's own names and fixed values, made once.
var names = struct {
	subject, action, resource, resources, context *ast.Term
	kind, id, properties, arguments               *ast.Term
	era, revision, transport, time, responses     *ast.Term
	list, name                                    *ast.Term
	approval, history, host, server               *ast.Term
	result                                        *ast.Term
}{
	subject: ast.StringTerm("subject"), action: ast.StringTerm("action"), resource: ast.StringTerm("resource"),
	resources: ast.StringTerm("resources"), context: ast.StringTerm("context"),
	kind: ast.StringTerm("type"), id: ast.StringTerm("id"), properties: ast.StringTerm("properties"),
	arguments: ast.StringTerm("arguments"),
	era:       ast.StringTerm("era"), revision: ast.StringTerm("revision"), transport: ast.StringTerm("transport"),
	time: ast.StringTerm("time"), responses: ast.StringTerm("responses_untrusted"),
	approval: ast.StringTerm("approval"), history: ast.StringTerm("history"),
	host: ast.StringTerm("host_untrusted"), server: ast.StringTerm("server_untrusted"),
	result: ast.StringTerm("result"),
	list:   ast.ObjectTerm(text("name", "list")), name: ast.StringTerm("name"),
}

// words are the terms of what an action and its context usually say.
var words = func() map[string]*ast.Term {
	table := map[string]*ast.Term{}
	for _, w := range append(protocol.Revisions(), "modern", "legacy", "http", "stdio",
		"tool", "prompt", "resource", "template", protocol.MethodToolsCall, protocol.MethodPromptsGet,
		protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe, protocol.MethodComplete) {
		table[w] = ast.StringTerm(w)
	}
	return table
}()

func word(s string) *ast.Term {
	if t, ok := words[s]; ok {
		return t
	}
	return ast.StringTerm(s)
}

// subjects keeps the terms of the principals that called last.
type subjects struct {
	seed  maphash.Seed
	reads parts.Parts
	terms *lru.Cache[uint64, subject]
}

// subject is a principal and what tells it apart.
type subject struct {
	of     gateway.Principal
	term   *ast.Term         // nil: it is not at hand
	digest [sha256.Size]byte // of what the decision looks at
	whole  [sha256.Size]byte // of all that policy is told
}

// keptSubjects bounds the cache of terms: some kilobytes each.
const keptSubjects = 4096

// know returns a principal, with its term only where that is at hand: an answer that
// is kept needs none, and those who call may be many more than there are terms.
func (s *subjects) know(p *gateway.Principal) subject {
	if kept, ok := s.terms.Get(s.digest(p)); ok && same(&kept.of, p) {
		return kept
	}
	return subject{of: *p, digest: s.reads.Digest(p), whole: parts.All().Digest(p)}
}

// term returns that of a principal that was known.
func (s *subjects) term(who *subject) *ast.Term {
	if who.term == nil {
		who.term = s.get(&who.of).term
	}
	return who.term
}

func newSubjects(r parts.Parts) (*subjects, error) {
	terms, err := lru.New[uint64, subject](keptSubjects)
	return &subjects{seed: maphash.MakeSeed(), reads: r, terms: terms}, err
}

// get returns the principal as policy sees it. A kept one is used only if
// everything that it was built from is the same: a stale scope would be a stale
// right.
func (s *subjects) get(p *gateway.Principal) subject {
	key := s.digest(p)
	if kept, ok := s.terms.Get(key); ok && same(&kept.of, p) {
		return kept
	}
	of := *p
	of.Scopes, of.Groups = slices.Clone(p.Scopes), slices.Clone(p.Groups)
	t := ast.ObjectTerm(
		text("type", "identity"),
		text("id", p.Subject),
		member{names.properties, ast.ObjectTerm(
			text("issuer", p.Issuer),
			text("tenant", p.Tenant),
			text("client", p.Client),
			texts("scopes", p.Scopes),
			texts("groups", p.Groups),
			text("auth_method", string(p.Method)),
		)},
	)
	made := subject{of: of, term: t, digest: s.reads.Digest(&of), whole: parts.All().Digest(&of)}
	s.terms.Add(key, made)
	return made
}

func (s *subjects) digest(p *gateway.Principal) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, part := range [...]string{p.Issuer, p.Subject, p.Tenant, p.Client, string(p.Method)} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	for _, list := range [...][]string{p.Scopes, p.Groups} {
		for _, part := range list {
			h.WriteString(part)
			h.WriteByte(0)
		}
		h.WriteByte(1)
	}
	return h.Sum64()
}

func same(a, b *gateway.Principal) bool {
	return a.Issuer == b.Issuer && a.Subject == b.Subject && a.Tenant == b.Tenant && a.Client == b.Client &&
		a.Method == b.Method && slices.Equal(a.Scopes, b.Scopes) && slices.Equal(a.Groups, b.Groups)
}

// member is one name and value of an object under construction.
type member = [2]*ast.Term

// text, flag, count and texts make one member.
func text(name, value string) member { return member{ast.StringTerm(name), ast.StringTerm(value)} }

func flag(name string, value bool) member {
	return member{ast.StringTerm(name), ast.InternedTerm(value)}
}

func count(name string, n int) member { return member{ast.StringTerm(name), ast.InternedTerm(n)} }

// texts gives the values sorted and each once, so that their order means
// nothing.
func texts(name string, values []string) member {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	terms := make([]*ast.Term, len(values))
	for i, v := range values {
		terms[i] = ast.StringTerm(v)
	}
	return member{ast.StringTerm(name), ast.ArrayTerm(terms...)}
}
