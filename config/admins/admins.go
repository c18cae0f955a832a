package admins

import (
	"net"
	"net/url"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/auth/staff"
	"mcp-gateway/config/form"
	"mcp-gateway/config/listen"
)

// Admin says who runs the gateway, by keys that no host may hold.
type Admin struct {
	Listen string // host:port on loopback; "" = only the socket in the state directory
	Keys   []staff.Key
	Local  staff.Member // who comes by the socket with the token in the state directory
}

// Console is the page for those who approve; nil where there is none.
type Console struct {
	URL      string        // by which browsers reach it, without a path
	Idle     time.Duration // after which a session ends that nobody used
	Absolute time.Duration // after which every session ends
}

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// Fields describe the two parts.
func Fields(a *Admin, c **Console) []form.Field {
	return []form.Field{
		{Key: "admin", Doc: "Who runs the gateway, and where they reach it.", Value: form.Object{Fields: []form.Field{
			{Key: "listen", Doc: "Address host:port of the operators' API and the console, on loopback; only the socket in the state directory where absent.", Value: listen.Address(&a.Listen)},
			{Key: "keys", Doc: "Keys of those who run the gateway; none may be a host's.", Value: form.List(&a.Keys, key)},
			{Key: "local", Doc: "Who comes by the socket with the token in the state directory.", Value: form.Object{Fields: member(&a.Local, false)}},
		}}},
		{Key: "console", Doc: "The page for those who approve, served on admin.listen; none where absent.", Value: form.Lazy(func() form.Value {
			*c = &Console{Idle: 30 * time.Minute, Absolute: 12 * time.Hour}
			return form.Object{Fields: []form.Field{
				{Key: "url", Doc: "By which browsers reach it, without a path; http://<admin.listen> where absent.", Value: listen.Base(&(*c).URL, "https://gateway.example")},
				{Key: "idle", Doc: "How long a session may be left unused.", Value: form.Duration(&(*c).Idle, time.Minute, 24*time.Hour)},
				{Key: "session", Doc: "How long a session lasts at most.", Value: form.Duration(&(*c).Absolute, time.Minute, 7*24*time.Hour)},
			}}
		})},
	}
}

func key(k *staff.Key) form.Value {
	digest := form.Hidden(&k.SHA256, "64 hex digits", func(s string) (string, *form.Fault) {
		if _, err := auth.ParseDigest(s); err != nil {
			return "", &form.Fault{Code: "bad_digest", Message: "wants the key's SHA-256 as 64 hex digits, as `keys new` prints it; the key itself never stands here", Hide: true}
		}
		return strings.ToLower(s), nil
	})
	return form.Object{Fields: append([]form.Field{
		{Key: "id", Need: true, Doc: "Names the key.", Value: form.Matching(&k.Member.ID, idPattern, "bad_id", "id")},
		{Key: "sha256", Need: true, Doc: "SHA-256 of the key, in hex.", Value: digest},
	}, member(&k.Member, true)...)}
}

func member(m *staff.Member, need bool) []form.Field {
	return []form.Field{
		{Key: "subject", Need: need, Doc: "Who it is. A caller of the same name is the same person.", Value: form.Text(&m.Subject)},
		{Key: "tenant", Doc: "Whose calls they see; those of every tenant where absent.", Value: form.Text(&m.Tenant)},
		{Key: "groups", Doc: "Groups, for policies that name who may approve.", Value: form.List(&m.Groups, form.Text)},
		{Key: "roles", Need: need, Doc: "What they are here for.", Value: form.List(&m.Roles, func(r *staff.Role) form.Value {
			return form.Word(r, staff.Roles()...)
		})},
	}
}

// Own is who comes with the token where the file names nobody: the account that runs
// the process, in every role and no group.
func Own() staff.Member {
	m := staff.Member{ID: "local", Roles: staff.Roles()}
	if me, err := user.Current(); err == nil {
		m.Subject = me.Username
	}
	return m
}

// Settle fills in what one key takes from another, and judges the parts. Who comes
// with the token is the owner of the process, in every role and no group, unless the
// file says otherwise. hosts are the keys of hosts.
func Settle(root form.Place, a *Admin, c *Console, hosts []auth.Key) {
	own := Own()
	if a.Local.ID = own.ID; a.Local.Roles == nil {
		a.Local.Roles = own.Roles
	}
	if a.Local.Subject == "" {
		a.Local.Subject = own.Subject
	}
	judgeKeys(root, a, hosts)
	if a.Listen != "" {
		if host, _, err := net.SplitHostPort(a.Listen); err != nil || !listen.Loopback(host) {
			root.Child("admin", "listen").Report("admin_not_loopback", "the operators' API is served on loopback only, such as 127.0.0.1:8081; a proxy that ends TLS may stand before it")
		}
	}
	if c == nil {
		return
	}
	if a.Listen == "" {
		root.Child("console").Report("console_nowhere", "the console is served on `admin.listen`, which is not set")
	}
	if c.URL == "" {
		c.URL = "http://" + a.Listen
	} else if u, err := url.Parse(c.URL); err != nil || u.Scheme == "http" && !listen.Loopback(u.Hostname()) {
		root.Child("console", "url").Report("insecure_url", "keys are typed on this page: plain http is for loopback only, use https")
	}
}

// judgeKeys holds that no key stands twice, here or among those of hosts.
func judgeKeys(root form.Place, a *Admin, hosts []auth.Key) {
	keys := root.Child("admin", "keys")
	ids, sums := map[string]bool{}, map[string]bool{}
	for i := range a.Keys {
		k := &a.Keys[i]
		if h := slices.IndexFunc(hosts, func(h auth.Key) bool { return h.SHA256 == k.SHA256 }); h >= 0 && k.SHA256 != "" {
			keys.Item(i).Child("sha256").Report("host_key", "the host `%s` holds this key: whoever calls could approve", hosts[h].Principal.Client)
		}
		if ids[k.Member.ID] {
			keys.Item(i).Child("id").Report("duplicate_id", "another key has the id `%s`", k.Member.ID)
		}
		if k.SHA256 != "" && sums[k.SHA256] {
			keys.Item(i).Child("sha256").Report("duplicate_id", "another entry has the same key")
		}
		if len(k.Member.Roles) == 0 && keys.Item(i).Has("roles") {
			keys.Item(i).Child("roles").Report("empty", "wants a role at least")
		}
		ids[k.Member.ID], sums[k.SHA256] = true, true
	}
}
