package delivery

import (
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/config/secret"
	"mcp-gateway/rego/pack"
)

// Bundle says where policy is delivered from; exactly one of File and URL is set.
type Bundle struct {
	File     string        // absolute
	URL      string        // of a bundle service
	Bearer   secret.Secret // credential at URL; the zero Secret = none
	Key      secret.Secret // PEM of the public key by which bundles are signed
	Unsigned bool          // unsafe_unsigned was set
	Poll     Poll
}

// Poll is how long a service is left alone between two questions.
type Poll struct{ Min, Max time.Duration }

// Helpers are how the configuration reads what it has elsewhere as well.
type Helpers struct {
	Secrets *secret.Files
	Path    func(dst *string) form.Value
	URL     func(at form.Place, raw string)
}

// Form describes a Bundle.
func (b *Bundle) Form(h Helpers) form.Value {
	b.Poll = Poll{time.Minute, 2 * time.Minute}
	return form.Object{Check: func(at form.Place) { b.judge(at, h) }, Fields: []form.Field{
		{Key: "file", Doc: "Path of a bundle.", Value: h.Path(&b.File)},
		{Key: "url", Doc: "Where a bundle service serves one; https, or http to loopback.", Value: form.Text(&b.URL)},
		{Key: "credential", Doc: "At the service.", Value: form.Object{Fields: []form.Field{
			{Key: "bearer", Need: true, Doc: "A token that stays the same. A reference: env:NAME or file:PATH.", Value: h.Secrets.Reference(&b.Bearer)},
		}}},
		{Key: "key", Doc: "The public key by which bundles must be signed, as PEM (ECDSA P-256 or RSA): file:PATH.", Value: h.Secrets.Key(&b.Key)},
		{Key: "unsafe_unsigned", Doc: "Takes bundles that nobody signed.", Value: form.Bool(&b.Unsigned)},
		{Key: "poll", Doc: "How long the service is left alone between two questions: at random between the two.", Value: form.Object{Fields: []form.Field{
			{Key: "min", Doc: "At least.", Value: form.Duration(&b.Poll.Min, time.Second, 24*time.Hour)},
			{Key: "max", Doc: "At most.", Value: form.Duration(&b.Poll.Max, time.Second, 24*time.Hour)},
		}}},
	}}
}

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
