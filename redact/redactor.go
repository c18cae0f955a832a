package redact

import (
	"errors"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact/edit"
	"mcp-gateway/redact/hidden"
	"mcp-gateway/redact/join"
	"mcp-gateway/redact/place"
	"mcp-gateway/redact/secret"
)

// Options sets what a Redactor does. The zero value is the default.
type Options struct {
	BlockText int // bytes of one text block in an upstream's error; 0 = 4 KiB
	TotalText int // bytes of all of them, and of structuredContent; 0 = 16 KiB

	Email, Phone bool // replaces addresses of e-mail, and telephone numbers
}

// Redactor cleans upstream text. It is immutable but for its scratch space, and
// safe for concurrent use.
type Redactor struct {
	opt     Options
	secrets *secret.Scanner
	content Content
	pool    sync.Pool
}

// New returns a Redactor.
func New(opt Options) *Redactor {
	if opt.BlockText <= 0 {
		opt.BlockText = 4 << 10
	}
	if opt.TotalText <= 0 {
		opt.TotalText = 16 << 10
	}
	return &Redactor{opt: opt, secrets: secret.New(secret.Options{Email: opt.Email, Phone: opt.Phone})}
}

var (
	errObject = errors.New("not a JSON object")
	errLarge  = errors.New("more than may be delivered, of what is not cut")
)

// codeTruncated is the finding of a result of which something was left out.
const codeTruncated = "result_truncated"

// Result cleans a whole CallToolResult: names and strings of every kind of
// content, of structuredContent and of _meta. The bytes of blobs, images and audio
// are looked at where they decode to text, and left alone otherwise. Secrets are
// replaced by placeholders such as [redacted:github_token].
//
// raw is a JSON object that protocol.Check has passed, and is not modified. The
// error is a *gateway.Error of CodeContractViolation: raw is no object, or two of
// its names became equal, so that the result must be withheld.
func (r *Redactor) Result(raw []byte) (Clean, error) { return r.clean(raw, place.Result) }

// Contents is Result for a ReadResourceResult: each element of its contents is a
// resource.
func (r *Redactor) Contents(raw []byte) (Clean, error) { return r.clean(raw, place.Reading) }

// Prompt is Result for a GetPromptResult, whose messages hold one content block
// each.
func (r *Redactor) Prompt(raw []byte) (Clean, error) { return r.clean(raw, place.Prompted) }

// Any is Result for an object in which the protocol gives no string a meaning
// that cleaning could break, such as the params of a log message.
func (r *Redactor) Any(raw []byte) (Clean, error) { return r.clean(raw, place.Free) }

func (r *Redactor) clean(raw []byte, p place.Place) (Clean, error) {
	c, err := r.whole(raw, p)
	if err == nil {
		err = r.bounded(&c, p, len(raw))
	}
	if err != nil {
		return Clean{}, err
	}
	r.framed(&c, p)
	return c, nil
}

// whole cleans a document, however large.
func (r *Redactor) whole(raw []byte, p place.Place) (Clean, error) {
	if protocol.Kind(raw) != '{' {
		return Clean{}, gateway.Because(gateway.CodeContractViolation, errObject)
	}
	if r.content.Uncleaned {
		return Clean{bytes: raw, valid: true}, nil
	}
	w := r.take(raw, true)
	defer r.give(w)
	out, err := w.run(p)
	if err != nil {
		return Clean{}, err
	}
	if key := p.Blocks(); key != "" {
		if both, changed := join.Blocks(r.secrets, out, key, w.counts); changed {
			out, w.changed = both, true
		}
	}
	out = w.joined(out, p)
	return Clean{bytes: out, changed: w.changed, valid: true, report: w.report()}, nil
}

// joined replaces what is spread over neighbouring strings of data.
func (w *walker) joined(raw []byte, p place.Place) []byte {
	data := raw
	if p != place.Free {
		data, _ = protocol.Member(raw, "structuredContent")
	}
	left, changed := w.data.Replace(data)
	if !changed {
		return raw
	}
	w.changed = true
	if p == place.Free {
		return left
	}
	return edit.With(raw, []string{"structuredContent"}, left)
}

// bounded cuts what is for readers to its limits, and refuses what can't be cut.
func (r *Redactor) bounded(c *Clean, p place.Place, total int) error {
	out, cut, ok := c.bytes, false, !r.content.Limits.Exceeds(c.bytes)
	if p.Speaks() {
		out, cut, ok = r.content.Limits.Cut(c.bytes, p.Blocks(), total)
	}
	if !ok {
		return gateway.Because(gateway.CodeContractViolation, errLarge, gateway.ReasonResultTooLarge)
	}
	if cut {
		c.bytes, c.changed = out, true
		c.report.Findings = append(c.report.Findings, gateway.Finding{Code: codeTruncated, Severity: gateway.Info})
	}
	return nil
}

// framed puts texts between marks under the profile wrap.
func (r *Redactor) framed(c *Clean, p place.Place) {
	if r.content.Profile != Wrap || !p.Speaks() || r.content.Uncleaned {
		return
	}
	if wrapped := r.wrap(c.bytes, p); len(wrapped) != len(c.bytes) {
		c.bytes, c.changed = wrapped, true
	}
}

// Text cleans text that is shown to operators, such as a line that a child wrote
// to its standard error, and replaces secrets. Invalid UTF-8 becomes U+FFFD.
func (r *Redactor) Text(s string) string {
	var c hidden.Cleaner
	clean, changed := c.Clean(nil, []byte(s))
	masked, hit := r.secrets.Mask(nil, clean, func(string) {})
	if !changed && !hit {
		return s
	}
	return string(masked)
}

// Masked replaces the secrets of a text, and leaves all else of it as it is.
func (r *Redactor) Masked(s string) string {
	if masked, hit := r.secrets.Mask(nil, []byte(s), func(string) {}); hit {
		return string(masked)
	}
	return s
}

// take returns a walker from the pool.
func (r *Redactor) take(raw []byte, secrets bool) *walker {
	w, ok := r.pool.Get().(*walker)
	if !ok {
		w = &walker{r: r}
		w.counts = w.count
		w.data = join.NewData(r.secrets, w.counts)
	}
	w.reset(raw, secrets)
	return w
}

// maxScratch is what a walker may keep for its next use.
const maxScratch = 256 << 10

// give puts the walker back, without any reference to the document.
func (r *Redactor) give(w *walker) {
	w.reset(nil, false)
	clear(w.path[:cap(w.path)])
	for _, scratch := range []*[]byte{&w.text, &w.text2, &w.text3} {
		if cap(*scratch) > maxScratch {
			*scratch = nil
		}
	}
	r.pool.Put(w)
}
