package redact

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/protocol/rawjson"
	"mcp-gateway/redact/hidden"
	"mcp-gateway/redact/join"
	"mcp-gateway/redact/meaning"
	"mcp-gateway/redact/place"
	"mcp-gateway/redact/secret"
)

// maxDepth bounds the walk; protocol.Check lets far less pass.
const maxDepth = 1000

var (
	errDepth = errors.New("nested too deeply")
	errShape = errors.New("not what protocol.Check passes")
	errNames = errors.New("two member names are equal once cleaned")

	errDisguise = errors.New("a name is one of the protocol's, or of the gateway's, once cleaned")
)

// walker goes once through a document and copies it only from the first string
// that changes. It is reused, so that a clean document costs no allocation.
type walker struct {
	r       *Redactor
	secrets bool // whether secrets are replaced too
	wraps   bool // texts of content are put between marks, and nothing else is done
	in      []byte
	out     []byte // what was copied and changed so far
	copied  int    // in[:copied] is in out
	changed bool
	renamed bool // a member name changed: two may be equal now
	err     error
	path    []step

	cleaner  hidden.Cleaner
	redacted []Count            // by class, as they come
	counts   func(class string) // adds to them
	findings []gateway.Finding
	text     []byte // scratch: unescaped, cleaned, masked
	text2    []byte
	text3    []byte
	data     *join.Data
}

// step is one token of the path to where the walker is.
type step struct {
	name  []byte // nil = an index
	index int
}

func (w *walker) reset(in []byte, secrets bool) {
	w.in, w.secrets, w.wraps = in, secrets, false
	w.out, w.copied, w.changed, w.renamed, w.err = nil, 0, false, false, nil
	w.path, w.findings = w.path[:0], nil
	w.cleaner = hidden.Cleaner{}
	w.redacted = w.redacted[:0]
}

// run walks the document, whose root stands at p.
func (w *walker) run(p place.Place) ([]byte, error) {
	w.value(rawjson.SkipSpace(w.in, 0), p)
	if w.err != nil {
		return nil, w.err
	}
	if !w.changed {
		return w.in, nil
	}
	w.out = append(w.out, w.in[w.copied:]...)
	if w.renamed && protocol.Check(w.out, protocol.Limits{Bytes: len(w.out), Depth: maxDepth}) != nil {
		return nil, gateway.Because(gateway.CodeContractViolation, errNames, gateway.ReasonNamesMeet)
	}
	return w.out, nil
}

// value walks the value at i and returns the index after it.
func (w *walker) value(i int, p place.Place) int {
	if len(w.path) > maxDepth {
		w.err = gateway.Because(gateway.CodeContractViolation, errDepth)
	}
	if w.err != nil || i >= len(w.in) {
		return len(w.in)
	}
	switch w.in[i] {
	case '{':
		if p == place.Link {
			if end := meaning.End(w.in, i); w.link(i, w.in[i:end]) {
				return end
			}
		}
		return w.object(i, p)
	case '[':
		return w.array(i, p)
	case '"':
		end := rawjson.SkipString(w.in, i)
		if w.wraps {
			if p == place.Spoken {
				w.wrapText(i, end)
			}
			return end
		}
		switch p {
		case place.Alone:
		case place.Fixed:
			w.judge(w.in[i:end])
		case place.Kind:
			w.kind(i, end)
		case place.Coded:
			w.decoded(i, end)
		case place.Medium:
			w.medium(i, end)
		case place.Target:
			w.target(i, end)
		default:
			w.rewrite(i, end, p != place.Address)
		}
		return end
	}
	for i < len(w.in) && !strings.ContainsRune(",]} \n\t\r", rune(w.in[i])) {
		i++
	}
	return i
}

func (w *walker) array(i int, p place.Place) int {
	at := len(w.path)
	w.path = append(w.path, step{})
	i = rawjson.SkipSpace(w.in, i+1)
	for w.err == nil && i < len(w.in) && w.in[i] != ']' {
		from := i
		if p == place.Icons && w.foreignIcon(i) {
			i = w.leaveOut(i)
			continue
		}
		if i = w.comma(w.value(i, p.Element(w.in[i:]))); i == from {
			w.err = gateway.Because(gateway.CodeContractViolation, errShape)
		}
		w.path[at].index++
	}
	w.path = w.path[:at]
	return i + 1
}

func (w *walker) comma(i int) int {
	i = rawjson.SkipSpace(w.in, i)
	if i < len(w.in) && w.in[i] == ',' {
		i = rawjson.SkipSpace(w.in, i+1)
	}
	return i
}

func (w *walker) object(i int, p place.Place) int {
	at := len(w.path)
	w.path = append(w.path, step{})
	i = rawjson.SkipSpace(w.in, i+1)
	for w.err == nil && i < len(w.in) && w.in[i] == '"' {
		end := rawjson.SkipString(w.in, i)
		token := w.in[i:end]
		name := token[1 : len(token)-1]
		w.path[at] = step{name: name}
		tells := w.mayHoldSecret(name)
		if w.wraps {
			name = protocolName(token)
		} else if tells || !plainToken(name) || w.secrets && len(name) >= longName && meaning.Find(name) != 0 {
			name = w.name(i, end, p)
		}
		i = rawjson.SkipSpace(w.in, end)
		if i < len(w.in) && w.in[i] == ':' {
			i = rawjson.SkipSpace(w.in, i+1)
		}
		if at := p.Member(string(name), w.in[i:]); !tells || at == place.Alone || at == place.Fixed || at == place.Coded || at == place.Medium || at == place.Target || !w.named(name, i) {
			i = w.value(i, at)
		} else {
			i = rawjson.SkipString(w.in, i)
		}
		i = w.comma(i)
	}
	w.path = w.path[:at]
	return i + 1
}

// longName is how long a name must be to say something to a reader.
const longName = 12

// named replaces the value at i if it is a string and its name makes it a secret,
// such as the password in {"password": "…"}.
func (w *walker) named(name []byte, i int) bool {
	if i >= len(w.in) || w.in[i] != '"' {
		return false
	}
	end := rawjson.SkipString(w.in, i)
	value := w.unescaped(w.in[i:end])
	class, ok := w.r.secrets.Assigned(name, value)
	if !ok {
		return false
	}
	w.out = append(w.out, w.in[w.copied:i]...)
	w.out = append(secret.AppendPlaceholder(append(w.out, '"'), class), '"')
	w.copied, w.changed = end, true
	w.count(class)
	return true
}

// protocolName is a name as it is read.
func protocolName(token []byte) []byte {
	s, _ := protocol.Text(token)
	return []byte(s)
}

// name handles a member name that is not plain ASCII or may hold a secret:
// cleaned where the place allows it, otherwise judged. It returns the name
// without what is hidden, which is how it will be read.
func (w *walker) name(i, end int, p place.Place) []byte {
	s, _ := protocol.Text(w.in[i:end])
	var c hidden.Cleaner
	name, hid := c.Clean([]byte{}, []byte(s))
	w.path[len(w.path)-1].name = name
	switch {
	case p == place.Alone:
	case hid && p.Means(string(name)):
		w.disguised()
	case p.CleansNames():
		renamed := w.rewrite(i, end, true)
		w.renamed = w.renamed || renamed
	default:
		w.judge(w.in[i:end])
	}
	return name
}

// kind looks at a string that says what its block is. One that is another once it is
// cleaned would be read as what nobody took it for; one that is no word of the
// protocol is a string like any other.
func (w *walker) kind(i, end int) {
	token := w.in[i:end]
	if len(token) < 2 || place.IsKind(token[1:len(token)-1]) {
		return
	}
	if !plainToken(token[1:len(token)-1]) && hides(string(w.unescaped(token))) {
		w.disguised()
		return
	}
	w.rewrite(i, end, true)
}

func (w *walker) disguised() {
	w.err = gateway.Because(gateway.CodeContractViolation, errDisguise, gateway.ReasonNamesMeet)
}

// plainToken reports whether a raw string, without its quotes, is printable
// ASCII without escapes.
func plainToken(inner []byte) bool { return hidden.PlainTo(inner, false, '\\') == len(inner) }

// harmless reports whether a raw string, without its quotes, is printable ASCII
// with no escapes but those of white space, quotes and backslashes: nothing is
// hidden in it, and a literal of a secret stands in it as it would be read.
func harmless(inner []byte) bool {
	for i := 0; ; i += 2 {
		i += hidden.PlainTo(inner[i:], false, '\\')
		if i == len(inner) {
			return true
		}
		if i+1 >= len(inner) || inner[i] != '\\' || !strings.ContainsRune(`nrt"\`, rune(inner[i+1])) {
			return false
		}
	}
}

func (w *walker) mayHoldSecret(text []byte) bool {
	return w.secrets && w.r.secrets.May(text)
}

// unescaped returns the content of the token at in[i:end].
func (w *walker) unescaped(token []byte) []byte {
	inner := token[1 : len(token)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	w.text, _ = jsontext.AppendUnquote(w.text[:0], token)
	return w.text
}

// rewrite cleans the string at in[i:end] and reports whether it changed. read says
// that it is there for a reader.
func (w *walker) rewrite(i, end int, read bool) bool {
	token := w.in[i:end]
	if len(token) < 2 {
		return false
	}
	plain := harmless(token[1 : len(token)-1])
	speaks := read && w.secrets && (w.r.content.Profile == Defang || meaning.Find(token) != 0)
	if plain && !speaks && !w.mayHoldSecret(token) {
		return false
	}
	s, changed := w.treated(w.unescaped(token), plain, speaks || read && !plain)
	if changed {
		w.out = append(w.out, w.in[w.copied:i]...)
		w.out, _ = jsontext.AppendQuote(w.out, s)
		w.copied, w.changed = end, true
	}
	return changed
}

// treated cleans a text, masks its secrets and, if it speaks, does with what it means
// as the profile says. plain says that nothing is hidden in it.
func (w *walker) treated(s []byte, plain, speaks bool) (out []byte, changed bool) {
	before := w.cleaner.Removed
	if !plain {
		if s, changed = w.cleaner.Clean(w.text2, s); changed {
			w.text2 = s
		}
		w.note(before, gateway.Warning)
	}
	if !w.secrets {
		return s, changed
	}
	masked, hit := w.r.secrets.Mask(w.text3, s, w.counts)
	if hit {
		s, changed, w.text3 = masked, true, masked
	}
	if speaks {
		if meant, defanged := w.mean(s); defanged {
			s, changed = meant, true
		}
	}
	return s, changed
}

// judge looks at a string that must not change. What is hidden in it is a
// critical finding.
func (w *walker) judge(token []byte) {
	if len(token) < 2 || plainToken(token[1:len(token)-1]) {
		return
	}
	var c hidden.Cleaner
	c.Clean(nil, w.unescaped(token))
	w.found(hidden.Cleaner{}.Removed, c.Removed, gateway.Critical)
}

// note adds findings for what was removed since before.
func (w *walker) note(before [hidden.Classes]int, sev gateway.Severity) {
	w.found(before, w.cleaner.Removed, sev)
}

func (w *walker) found(before, after [hidden.Classes]int, sev gateway.Severity) {
	if before == after {
		return
	}
	for c := hidden.Control; c < hidden.Classes; c++ {
		if before[c] != after[c] && !w.known(c.Name(), sev) {
			w.findings = append(w.findings, gateway.Finding{Code: c.Name(), Path: w.pointer(), Severity: sev})
		}
	}
}

// known reports whether there is a finding of that code and severity already.
func (w *walker) known(code string, sev gateway.Severity) bool {
	for _, f := range w.findings {
		if f.Code == code && f.Severity == sev {
			return true
		}
	}
	return false
}

// pointer returns the JSON Pointer of where the walker is, as cleaned.
func (w *walker) pointer() string {
	var b strings.Builder
	for _, s := range w.path {
		b.WriteByte('/')
		if s.name == nil {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		var c hidden.Cleaner
		name, _ := c.Clean(nil, s.name)
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(string(name)))
	}
	return b.String()
}

// count notes that a secret of a class was replaced.
func (w *walker) count(class string) { w.redacted = append(w.redacted, Count{class, 1}) }

// report collects what was found.
func (w *walker) report() Report {
	rep := Report{Findings: w.findings}
	for c := hidden.Control; c < hidden.Classes; c++ {
		if n := w.cleaner.Removed[c]; n > 0 {
			rep.Removed = append(rep.Removed, Count{c.Name(), n})
		}
	}
	if len(w.redacted) > 0 {
		rep.Redactions = append(rep.Redactions, w.redacted...)
	}
	rep.Removed, rep.Redactions = sortCounts(rep.Removed), sortCounts(rep.Redactions)
	return rep
}
