package delivery

import (
	"maps"
	"regexp"
	"slices"
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/config/secret"
	"mcp-gateway/rego/pack"
)

// Policy says where the policy is and how long a decision may take.
type Policy struct {
	Dir     string            // "" = the embedded default
	Bundle  *Bundle           // where it is delivered from instead; nil = nowhere
	Bundles map[string]Bundle // that make it together, by name; none = nowhere
	Report  *Report           // who is told how they stand; nil = nobody
	Timeout time.Duration
}

// alone is the name of a bundle that makes the policy alone.
const alone = "policy"

// Delivered lists the bundles that make the policy, in the order of their names.
func (p *Policy) Delivered() []Bundle {
	if p.Bundle != nil {
		b := *p.Bundle
		b.Name = alone
		return []Bundle{b}
	}
	var all []Bundle
	for _, name := range slices.Sorted(maps.Keys(p.Bundles)) {
		b := p.Bundles[name]
		b.Name = name
		all = append(all, b)
	}
	return all
}

// Paths lists where on this machine people put the policy.
func (p *Policy) Paths() []string {
	var all []string
	for _, b := range append(p.Delivered(), Bundle{File: p.Dir}) {
		if b.File != "" {
			all = append(all, b.File)
		}
	}
	return all
}

// Form describes a Policy.
func (p *Policy) Form(h Helpers) form.Value {
	return form.Object{Check: p.judge, Fields: []form.Field{
		{Key: "dir", Doc: "Directory of Rego files; the embedded policy where absent.", Value: h.Path(&p.Dir)},
		{Key: "bundle", Doc: "Where policy is delivered from instead.", Value: form.Lazy(func() form.Value {
			p.Bundle = new(Bundle)
			return p.Bundle.Form(h)
		})},
		{Key: "bundles", Doc: "Bundles that make the policy together, by name, each below roots of its own.", Value: form.Map(&p.Bundles, names(), func(_ form.Entry, b *Bundle) form.Value {
			return b.Form(h)
		})},
		{Key: "status", Doc: "Who is told how the bundles stand, in the words of OPA's status API.", Value: form.Lazy(func() form.Value {
			p.Report = new(Report)
			return p.Report.Form(h)
		})},
		{Key: "timeout", Doc: "How long one decision may work. Waiting for a processor counts little, and no more than twenty times as long.", Value: form.Duration(&p.Timeout, time.Millisecond, time.Minute)},
	}}
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

func names() form.Keys {
	return form.Keys{Pattern: namePattern, Code: "bad_id", Want: "name of a bundle: lower-case letters, digits and hyphens, at most 31"}
}

func (p *Policy) judge(at form.Place) {
	var said []string
	for _, key := range [...]string{"dir", "bundle", "bundles"} {
		if at.Has(key) {
			said = append(said, key)
		}
	}
	if len(said) > 1 {
		at.Child(said[1]).Report("two_policies", "policy lies in `dir`, or comes as `bundle` or as `bundles`: one of them")
	}
	if at.Has("bundles") && len(p.Bundles) == 0 {
		at.Child("bundles").Report("empty", "names no bundle, so nothing could ever be allowed")
	}
	if at.Has("status") && p.Bundle == nil && len(p.Bundles) == 0 {
		at.Child("status").Report("no_bundle", "tells how bundles stand, and policy does not come as one")
	}
	seen := map[[2]string]string{}
	for _, b := range p.Delivered() {
		from := [2]string{b.File, b.URL}
		if other, twice := seen[from]; twice && from != [2]string{} {
			at.Child("bundles", b.Name).Report("one_source", "comes from where `%s` does", other)
		}
		seen[from] = b.Name
	}
}

// Bundle says where policy is delivered from; exactly one of File and URL is set.
type Bundle struct {
	Name     string        // among those of the policy
	File     string        // absolute
	URL      string        // of a bundle service
	Bearer   secret.Secret // credential at URL; the zero Secret = none
	Key      secret.Secret // PEM of the public key by which bundles are signed
	Unsigned bool          // unsafe_unsigned was set
	Poll     Poll
}

// Poll is how long a service is left alone between two questions, and for how long it
// may hold one open; 0 = not at all.
type Poll struct{ Min, Max, Wait time.Duration }

// Report says whom the gateway tells how its bundles stand.
type Report struct {
	URL       string        // of a service with OPA's status API; "" = nobody
	Bearer    secret.Secret // credential at URL; the zero Secret = none
	Partition string
}

// Helpers are how the configuration reads what it has elsewhere as well.
type Helpers struct {
	Secrets *secret.Files
	Path    func(dst *string) form.Value
	URL     func(at form.Place, raw string)
}

// Form describes a Bundle.
func (b *Bundle) Form(h Helpers) form.Value {
	b.Poll = Poll{Min: time.Minute, Max: 2 * time.Minute}
	return form.Object{Check: func(at form.Place) { b.judge(at, h) }, Fields: []form.Field{
		{Key: "file", Doc: "Path of a bundle.", Value: h.Path(&b.File)},
		{Key: "url", Doc: "Where a bundle service serves one; https, or http to loopback.", Value: form.Text(&b.URL)},
		credential(&b.Bearer, h),
		{Key: "key", Doc: "The public key by which bundles must be signed, as PEM (ECDSA P-256 or RSA): file:PATH.", Value: h.Secrets.Key(&b.Key)},
		{Key: "unsafe_unsigned", Doc: "Takes bundles that nobody signed.", Value: form.Bool(&b.Unsigned)},
		{Key: "poll", Doc: "How long the service is left alone between two questions: at random between the two.", Value: form.Object{Fields: []form.Field{
			{Key: "min", Doc: "At least.", Value: form.Duration(&b.Poll.Min, time.Second, 24*time.Hour)},
			{Key: "max", Doc: "At most.", Value: form.Duration(&b.Poll.Max, time.Second, 24*time.Hour)},
			{Key: "wait", Doc: "For how long a service that can (OPA's long polling) may hold a question open until it has something new.", Value: form.Duration(&b.Poll.Wait, time.Second, 10*time.Minute)},
		}}},
	}}
}

func credential(bearer *secret.Secret, h Helpers) form.Field {
	return form.Field{Key: "credential", Doc: "At the service.", Value: form.Object{Fields: []form.Field{
		{Key: "bearer", Need: true, Doc: "A token that stays the same. A reference: env:NAME or file:PATH.", Value: h.Secrets.Reference(bearer)},
	}}}
}

// Form describes a Report.
func (r *Report) Form(h Helpers) form.Value {
	return form.Object{Check: func(at form.Place) { h.URL(at.Child("url"), r.URL) }, Fields: []form.Field{
		{Key: "url", Need: true, Doc: "The service, to whose /status it is posted; https, or http to loopback.", Value: form.Text(&r.URL)},
		credential(&r.Bearer, h),
		{Key: "partition", Doc: "Which gateways this one is of: what comes below /status.", Value: form.Matching(&r.Partition, partition, "bad_partition", "letters, digits, '.', '_' and '-'")},
	}}
}

var partition = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (b *Bundle) judge(at form.Place, h Helpers) {
	if at.Has("file") == at.Has("url") {
		at.Report("one_source", "wants exactly one of file and url")
	}
	if at.Has("url") {
		h.URL(at.Child("url"), b.URL)
	} else {
		for _, key := range [...]string{"credential", "poll"} {
			if at.Has(key) {
				at.Child(key).Report("no_service", "`%s` is about a service, and `url` names none", key)
			}
		}
	}
	switch {
	case at.Has("key") && b.Unsigned:
		at.Child("unsafe_unsigned").Report("signed_and_not", "`key` and `unsafe_unsigned` contradict each other")
	case !at.Has("key") && !b.Unsigned:
		at.Report("no_key", "bundles must be signed: `key` names the public key, as file:PATH, or set unsafe_unsigned: true")
	case b.Key.Set() && pack.CheckKey([]byte(b.Key.Reveal())) != nil:
		at.Child("key").Report("bad_key", "the file holds no key that verifies bundles: as PEM, ECDSA P-256 or RSA")
	}
	if b.Poll.Max < b.Poll.Min {
		at.Child("poll").Report("out_of_range", "`max` is less than `min`")
	}
}
