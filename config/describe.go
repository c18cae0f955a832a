package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/config/admins"
	"mcp-gateway/config/delivery"
	"mcp-gateway/config/exposure"
	"mcp-gateway/config/form"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
)

// The words that a writer may choose. Each pattern is anchored: it is also the
// schema's.
var (
	idPattern    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)
	envPattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	scopePattern = regexp.MustCompile(`^[!#-\[\]-z|~]+$`) // a scope-token (RFC 6749 3.3) without braces
	hostPattern  = regexp.MustCompile(`^[A-Za-z0-9.\-\[\]:]+$`)
	// extensionPattern: a prefix of labels, which is required, and a name (2026-07-28,
	// Extensions).
	extensionPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z][A-Za-z0-9-]*)*/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	replicaPattern   = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,62})?$`)
	schemePattern    = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)
)

// file describes upstreams.yaml.
func (l *loader) file(c *Config) form.Value {

	return form.Object{Fields: append([]form.Field{
		{Key: "version", Need: true, Doc: "Version of this format.", Value: form.Version(1)},
		{Key: "listen", Doc: "Where hosts reach the gateway.", Value: c.Listen.Form(&l.secrets)},
		{Key: "replica", Doc: "Name of this process among replicas; minted once when empty.", Value: form.Matching(&c.Replica, replicaPattern, "bad_id", "replica name: lower-case letters, digits and hyphens")},
		{Key: "state", Doc: "Where keys, journal and databases are kept.", Value: form.Object{Fields: []form.Field{
			{Key: "dir", Doc: "Directory, relative to this file.", Value: l.path(&c.State.Dir)},
		}}},
		{Key: "exposure", Doc: "Path of exposure.yaml, relative to this file.", Value: l.path(&c.Exposure)},
		{Key: "auth", Doc: "Who may come in.", Value: l.authentication(&c.Auth)},
		{Key: "policy", Doc: "Who may do what.", Value: c.Policy.Form(delivery.Helpers{Secrets: &l.secrets, Path: l.path, URL: judgeURL})},
		{Key: "limits", Doc: "Bounds of what passes through.", Value: limits(&c.Limits)},
		{Key: "networks", Doc: "Ranges of private addresses to which names of this file's URLs may lead: of issuers, token endpoints, upstreams and the bundle service; and that of a receiver of OTLP. An address that a URL itself writes needs none.", Value: c.Networks.Form()},
		{Key: "audit", Doc: "How events are kept.", Value: l.auditing(&c.Audit)},
		{Key: "redact", Doc: "What is replaced in what upstreams send, beside secrets.", Value: form.Object{Fields: []form.Field{
			{Key: "email", Doc: "Addresses of e-mail.", Value: form.Bool(&c.Redact.Email)},
			{Key: "phone", Doc: "Telephone numbers in the international form.", Value: form.Bool(&c.Redact.Phone)},
		}}},
		{Key: "upstreams", Doc: "The servers behind the gateway, by id.", Value: form.Map(&c.Upstreams, exposure.UpstreamIDs(), l.upstream)},
	}, append(admins.Fields(&c.Admin, &c.Console), c.Log.Field())...)}
}

func (l *loader) authentication(v *Auth) form.Value {
	return form.Object{Fields: []form.Field{
		{Key: "api_keys", Doc: "API keys, of which only the SHA-256 is written here.", Value: form.List(&v.Keys, apiKey)},
		{Key: "issuers", Doc: "OAuth authorization servers whose tokens are accepted.", Value: form.List(&v.Issuers, l.issuer)},
		{Key: "scopes", Doc: "Scopes that hosts are told to ask their issuer for at first; none by default.", Value: listOf(&v.Scopes, scopePattern, "bad_scope", "scope")},
		{Key: "stdio", Doc: "Who a stdio host is; the host claims nothing.", Value: optional(&v.Stdio, func(p *gateway.Principal) form.Value {
			*p = gateway.Principal{Issuer: "gateway", Client: "stdio", Method: gateway.AuthStdio}
			return form.Object{Fields: append([]form.Field{
				{Key: "subject", Need: true, Doc: "Who it is.", Value: form.Text(&p.Subject)},
			}, rights(p)...)}
		})},
		{Key: "unsafe_loopback_anonymous", Doc: "Who a request without credentials is; loopback only.", Value: optional(&v.Anonymous, func(p *gateway.Principal) form.Value {
			*p = gateway.Principal{Issuer: "gateway", Subject: "anonymous", Method: gateway.AuthAnonymous}
			return form.Object{Fields: rights(p)}
		})},
	}}
}

func apiKey(k *auth.Key) form.Value {
	p := &k.Principal
	*p = gateway.Principal{Issuer: "gateway", Method: gateway.AuthAPIKey}
	digest := form.Hidden(&k.SHA256, "64 hex digits", func(s string) (string, *form.Fault) {
		if _, err := auth.ParseDigest(s); err != nil {
			return "", &form.Fault{Code: "bad_digest", Message: "wants the key's SHA-256 as 64 hex digits, as `keys new` prints it; the key itself never stands here", Hide: true}
		}
		return strings.ToLower(s), nil
	})
	return form.Object{Fields: append([]form.Field{
		{Key: "id", Need: true, Doc: "Names the key in events.", Value: form.Matching(&p.Client, idPattern, "bad_id", "id")},
		{Key: "sha256", Need: true, Doc: "SHA-256 of the key, in hex.", Value: digest},
		{Key: "subject", Need: true, Doc: "Who presents the key.", Value: form.Text(&p.Subject)},
	}, rights(p)...)}
}

func rights(p *gateway.Principal) []form.Field {
	return []form.Field{
		{Key: "tenant", Doc: "The organisation.", Value: form.Text(&p.Tenant)},
		{Key: "scopes", Doc: "What it holds.", Value: listOf(&p.Scopes, scopePattern, "bad_scope", "scope")},
		{Key: "groups", Doc: "Groups, for policy.", Value: form.List(&p.Groups, form.Text)},
	}
}

func limits(v *Limits) form.Value {
	return form.Object{Fields: []form.Field{
		{Key: "body", Doc: "Of one request.", Value: form.Size(&v.Body, 64<<20)},
		{Key: "list", Doc: "Of one upstream list, all pages.", Value: form.Size(&v.List, 64<<20)},
		{Key: "message", Doc: "Of one message of an upstream; twice the result where absent. More is refused.", Value: form.Size(&v.Message, 64<<20)},
		{Key: "result", Doc: "Of one result, as it is delivered: what of its content is more is left out.", Value: form.Size(&v.Result, 64<<20)},
		{Key: "item", Doc: "Of one text or other item of a result, as it is delivered: a text is cut, others are left out.", Value: form.Size(&v.Item, 64<<20)},
		{Key: "depth", Doc: "Nesting of JSON.", Value: form.Int(&v.Depth, 8, 1000)},
		{Key: "rates", Doc: "How often, and how much; without limit where absent.", Value: v.Rates.Form()},
		{Key: "call_timeout", Doc: "Of one call, where the upstream or tool names none.", Value: callTimeout(&v.CallTimeout)},
		{Key: "repeat_wait", Doc: "How long a repeat waits for the call with the same idempotency key that is under way; 0s = not at all.", Value: form.Duration(&v.RepeatWait, 0, time.Minute)},
	}}
}

func (l *loader) upstream(e form.Entry, dst **Upstream) form.Value {
	u := &Upstream{ID: e.Key, Pos: e.Pos,
		Circuit:  Circuit{After: 5, Rest: 30 * time.Second},
		Refresh:  Refresh{Every: 5 * time.Minute, TTLCap: time.Hour},
		Revision: Revision{Downgrade: RefuseDowngrade}, Content: redact.Content{Profile: redact.Label},
	}
	*dst = u
	return form.Object{Check: oneTransport, Fields: []form.Field{
		{Key: "stdio", Doc: "Runs as a child process.", Value: optional(&u.Stdio, l.stdio)},
		{Key: "http", Doc: "Is reached by URL.", Value: optional(&u.HTTP, l.http)},
		{Key: "timeout", Doc: "Of one call.", Value: callTimeout(&u.Timeout)},
		{Key: "circuit", Doc: "When it is called no more for a while, because it answers too late, or too much.", Value: form.Object{Fields: []form.Field{
			{Key: "after", Doc: "Calls in a row that ran out of time, or whose answers were refused for what they cost to read.", Value: form.Int(&u.Circuit.After, 1, 1000)},
			{Key: "rest", Doc: "Until one call is tried again.", Value: form.Duration(&u.Circuit.Rest, time.Second, time.Hour)},
		}}},
		{Key: "refresh", Doc: "When definitions are fetched anew.", Value: form.Object{Fields: []form.Field{
			{Key: "every", Doc: "Where the upstream names no time.", Value: form.Duration(&u.Refresh.Every, time.Second, 24*time.Hour)},
			{Key: "ttl_cap", Doc: "The longest that the upstream's own time is believed.", Value: form.Duration(&u.Refresh.TTLCap, time.Second, 24*time.Hour)},
		}}},
		{Key: "revision", Doc: "Protocol revisions spoken.", Value: form.Object{Fields: []form.Field{
			{Key: "minimum", Doc: "The oldest revision accepted.", Value: form.Word(&u.Revision.Minimum, protocol.Revisions()...)},
			{Key: "downgrade", Doc: "When it falls back to an older revision than before.", Value: form.Word(&u.Revision.Downgrade, RefuseDowngrade, WarnDowngrade, AllowDowngrade)},
		}}},
		{Key: "relay", Doc: "What a legacy upstream may ask of a legacy host; none by default.", Value: form.List(&u.Relay, func(r *Relay) form.Value {
			return form.Word(r, RelayElicitation, RelaySampling, RelayRoots)
		})},
		{Key: "extensions", Doc: "Extensions of the protocol that hosts may declare to it; none by default, and tasks never.", Value: listOf(&u.Extensions, extensionPattern,
			"bad_extension", "identifier of an extension such as vendor.example/name")},
		{Key: "content", Doc: "How its content is delivered.", Value: form.Object{Fields: []form.Field{
			{Key: "profile", Doc: "label names the source; wrap also frames each text; defang also spoils addresses; block withholds results in which a directive stands.", Value: form.Word(&u.Content.Profile, redact.Label, redact.Wrap, redact.Defang, redact.Block)},
			{Key: "link_schemes", Doc: "Schemes of links that it may give, beside those of no network.", Value: listOf(&u.Content.Schemes, schemePattern, "bad_scheme", "scheme of a URI")},
			{Key: "link_hosts", Doc: "Hosts that its links, and the pages that it asks people to open, may lead to; .a.example is all below it.", Value: listOf(&u.Content.Hosts, hostPattern, "bad_host", "host name")},
		}}},
		{Key: "unsafe_uncleaned", Doc: "Delivers its definitions and answers as they came, with secrets, hidden characters and links: for test suites only.", Value: form.Bool(&u.Content.Uncleaned)},
		{Key: "unsafe_trust_definitions", Doc: "Serves what it lists, unreviewed: for test suites only.", Value: form.Bool(&u.TrustDefinitions)},
	}}
}

func (l *loader) stdio(s *Stdio) form.Value {
	s.Dir, s.Start = l.dir, time.Minute
	envKeys := form.Keys{Pattern: envPattern, Code: "bad_env_name", Want: "name of an environment variable"}
	return form.Object{Check: func(at form.Place) { judgeCommand(at.Child("command"), s) }, Fields: []form.Field{
		{Key: "command", Need: true, Doc: "Program and arguments; no shell splits them.", Value: form.List(&s.Command, form.Text)},
		{Key: "dir", Doc: "Working directory, relative to this file.", Value: l.path(&s.Dir)},
		{Key: "pass_env", Doc: "Names of the gateway's variables that the child sees.", Value: listOf(&s.PassEnv, envPattern, "bad_env_name", "name of an environment variable")},
		{Key: "env", Doc: "Further variables; secrets as env:NAME or file:PATH.", Value: form.Map(&s.Env, envKeys, func(e form.Entry, v *Secret) form.Value { return l.secrets.Variable(e.Key, v) })},
		{Key: "confine", Doc: "What the child may reach; everything else is out of its reach. Where absent, all but what is the gateway's.", Value: optional(&s.Confine, l.confine)},
		{Key: "start_timeout", Doc: "To start and introduce itself.", Value: form.Duration(&s.Start, time.Second, time.Hour)},
		{Key: "unsafe_unconfined", Doc: "Lets the child reach all that the gateway reaches, its state included.", Value: form.Bool(&s.Unconfined)},
		{Key: "unsafe_inline_code", Doc: "Lets the command carry its program in an argument.", Value: form.Bool(&s.InlineCode)},
	}}
}

func (l *loader) confine(c *Confine) form.Value {
	const most = 1 << 40
	c.Network = confine.None
	number := func(key, doc string, dst *int, least, most int) form.Field {
		return form.Field{Key: key, Doc: doc, Value: form.Int(dst, least, most)}
	}
	return form.Object{Check: func(at form.Place) { c.Pos = at.Pos() }, Fields: []form.Field{
		{Key: "read", Doc: "Directories and files that it may read and run, beside what every program needs of the system.", Value: form.List(&c.Read, l.path)},
		{Key: "write", Doc: "Directories and files that it may write too.", Value: form.List(&c.Write, l.path)},
		{Key: "network", Doc: "How much of the network it reaches: none, a network of its own with nothing in it, or any.", Value: form.Word(&c.Network, confine.None, confine.Own, confine.Any)},
		{Key: "uid", Doc: "A user of its own; the gateway must run as root.", Value: form.Int(&c.UID, 1, 1<<31-2)},
		{Key: "gid", Doc: "A group of its own; the uid's number where absent.", Value: form.Int(&c.GID, 1, 1<<31-2)},
		{Key: "memory", Doc: "Of private memory.", Value: form.Size(&c.Limits.Memory, most)},
		number("processes", "Processes and threads of its user, the gateway's own included.", &c.Limits.Processes, 1, 1<<22),
		number("open_files", "Files open at a time.", &c.Limits.OpenFiles, 16, 1<<20),
		{Key: "file_size", Doc: "Of one file that it writes.", Value: form.Size(&c.Limits.FileSize, most)},
	}}
}

func (l *loader) http(h *HTTP) form.Value {
	return form.Object{Check: func(at form.Place) { judgeURL(at.Child("url"), h.URL) }, Fields: []form.Field{
		{Key: "url", Need: true, Doc: "The MCP endpoint; https, or http to loopback.", Value: form.Text(&h.URL)},
		{Key: "credential", Doc: "The gateway's own credential there; a host's is never passed on.", Value: l.credential(h)},
	}}
}

func (l *loader) path(dst *string) form.Value {
	return form.Parsed(dst, "a path", func(s string) (string, *form.Fault) {
		if strings.TrimSpace(s) == "" {
			return "", &form.Fault{Code: "empty", Message: "wants a path"}
		}
		return filepath.Clean(l.secrets.Abs(s)), nil
	})
}

func callTimeout(dst *time.Duration) form.Value {
	return form.Duration(dst, 10*time.Millisecond, time.Hour)
}

func listOf(dst *[]string, pattern *regexp.Regexp, code, want string) form.Value {
	return form.List(dst, func(s *string) form.Value { return form.Matching(s, pattern, code, want) })
}

// optional describes a part that is nil where the file does not have it.
func optional[T any](dst **T, describe func(*T) form.Value) form.Value {
	return form.Lazy(func() form.Value {
		*dst = new(T)
		return describe(*dst)
	})
}
