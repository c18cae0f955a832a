package rego

import (
	"hash/maphash"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"

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
	facts := ast.NewObject(
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
	return &Resource{id: t.ID, definition: t.Definition, key: ast.StringTerm(t.ID.String()), facts: ast.NewTerm(facts)}
}

// ID returns which tool the resource is.
func (r *Resource) ID() gateway.ItemID { return r.id }

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

// Context is the circumstance of a call.
type Context struct {
	Action    string    // the method: "tools/call", "prompts/get" …; "" = "tools/call"
	Era       string    // "modern" or "legacy"
	Revision  string    // protocol revision, such as "2026-07-28"
	Transport string    // "http" or "stdio"
	Time      time.Time // when the decision is made

	// Responses are what the host answered to what the upstream had asked: strictly
	// checked JSON, an object; empty = the call is no retry, or answers nothing.
	Responses []byte
}

// term gives what of the context can be kept, or with a time all of it.
func (c Context) term(at, responses *ast.Term) *ast.Term {
	members := [...]member{
		{names.era, word(c.Era)},
		{names.revision, word(c.Revision)},
		{names.transport, word(c.Transport)},
		{names.time, at},
		{names.responses, responses},
	}
	n := len(members)
	for n > 0 && members[n-1][1] == nil {
		n--
	}
	return ast.ObjectTerm(members[:n]...)
}

// names are the terms of the input's own names and fixed values, made once.
var names = struct {
	subject, action, resource, resources, context *ast.Term
	kind, id, properties, arguments               *ast.Term
	era, revision, transport, time, responses     *ast.Term
	list, name                                    *ast.Term
	effect, reasons                               *ast.Term
}{
	subject: ast.StringTerm("subject"), action: ast.StringTerm("action"), resource: ast.StringTerm("resource"),
	resources: ast.StringTerm("resources"), context: ast.StringTerm("context"),
	kind: ast.StringTerm("type"), id: ast.StringTerm("id"), properties: ast.StringTerm("properties"),
	arguments: ast.StringTerm("arguments"),
	era:       ast.StringTerm("era"), revision: ast.StringTerm("revision"), transport: ast.StringTerm("transport"),
	time: ast.StringTerm("time"), responses: ast.StringTerm("responses"),
	list: ast.ObjectTerm(text("name", "list")), name: ast.StringTerm("name"),
	effect: ast.StringTerm("effect"), reasons: ast.StringTerm("reasons"),
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
	terms *lru.Cache[uint64, subject]
}

// subject is a principal as it was when its term was built.
type subject struct {
	of   gateway.Principal
	term *ast.Term
}

// keptSubjects bounds the cache: some hundred bytes each.
const keptSubjects = 4096

func newSubjects() (*subjects, error) {
	terms, err := lru.New[uint64, subject](keptSubjects)
	return &subjects{seed: maphash.MakeSeed(), terms: terms}, err
}

// term returns the principal's term. A kept one is used only if everything that
// it was built from is the same: a stale scope would be a stale right.
func (s *subjects) term(p *gateway.Principal) *ast.Term {
	key := s.digest(p)
	if kept, ok := s.terms.Get(key); ok && same(&kept.of, p) {
		return kept.term
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
	s.terms.Add(key, subject{of: of, term: t})
	return t
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

// text, flag and texts make one member.
func text(name, value string) member { return member{ast.StringTerm(name), ast.StringTerm(value)} }

func flag(name string, value bool) member {
	return member{ast.StringTerm(name), ast.InternedTerm(value)}
}

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
