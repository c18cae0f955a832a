package redact

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact/meaning"
)

// Profile is how the text of an upstream is delivered.
type Profile string

// The profiles. Whatever the profile, directives and addresses are findings.
const (
	Label  Profile = "label"  // as it is; its source is named
	Defang Profile = "defang" // with addresses that nobody follows by accident
	Block  Profile = "block"  // not at all, where a directive stands in it
)

// Content says what of an upstream's content is delivered, and how. The zero value
// labels, and lets no link out to the network pass.
type Content struct {
	Profile Profile
	Schemes []string // of links, beside those of no network
	Hosts   []string // that links over the network may lead to; ".a.example" holds for all below it

	// Uncleaned delivers all of it as it came: nothing is looked for, in whatever
	// profile. Hidden characters in what has a meaning withhold a definition still.
	Uncleaned bool
}

// Finding and marker of a link that was taken out.
const (
	codeLink   = "link_removed"
	linkMarker = `{"type":"text","text":"[link removed: it leads where this server's links may not]"}`
)

// IsMeaning tells the findings about what content means from those about its bytes.
func IsMeaning(code string) bool {
	return code == codeLink || code == meaning.CodeDirective || code == meaning.CodeAddress
}

// With returns a Redactor for one upstream's content. It shares everything else.
func (r *Redactor) With(c Content) *Redactor {
	return &Redactor{opt: r.opt, secrets: r.secrets, content: c}
}

// link takes a link out where it may not lead; it reports whether it did. raw is
// the block.
func (w *walker) link(i int, raw []byte) bool {
	if !w.secrets || meaning.Leads(linkOf(raw), w.r.content.Schemes, w.r.content.Hosts) {
		return false
	}
	w.out = append(append(w.out, w.in[w.copied:i]...), linkMarker...)
	w.copied, w.changed = i+len(raw), true
	w.sign(codeLink)
	return true
}

// mean notes what a text means to do, and treats it as the profile says.
func (w *walker) mean(s []byte) (out []byte, changed bool) {
	signs := meaning.Find(s)
	if signs&meaning.Directive != 0 {
		w.sign(meaning.CodeDirective)
		if w.r.content.Profile == Block {
			w.err = gateway.Fail(gateway.CodeContractViolation, gateway.ReasonDirective)
		}
	}
	if signs&meaning.Address != 0 {
		w.sign(meaning.CodeAddress)
	}
	if w.r.content.Profile == Defang {
		return meaning.Defang(nil, s)
	}
	return s, false
}

// sign adds a finding, each code once.
func (w *walker) sign(code string) {
	if !w.known(code, gateway.Warning) {
		w.findings = append(w.findings, gateway.Finding{Code: code, Path: w.pointer(), Severity: gateway.Warning})
	}
}

// linkOf returns the URI of a resource link.
func linkOf(block []byte) string {
	raw, _ := protocol.Member(block, "uri")
	uri, _ := protocol.Text(raw)
	return uri
}
