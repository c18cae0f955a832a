package redact

import (
	"bytes"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/protocol/rawjson"
	"mcp-gateway/redact/bound"
	"mcp-gateway/redact/hidden"
	"mcp-gateway/redact/meaning"
)

// Profile is how the text of an upstream is delivered.
type Profile string

// The profiles. Whatever the profile, directives and addresses are findings.
const (
	Label  Profile = "label"  // as it is; its source is named
	Wrap   Profile = "wrap"   // each text between lines that say whose data it is
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

	Limits bound.Limits // of what is delivered, cleaned or not

	Source string // whose content it is, as marks name it: the upstream's id
	Origin string // of the upstream and so of its icons, as the function Origin spells it; "" = none
}

// Findings of what was taken out, and the marker of a link.
const (
	codeLink   = "link_removed"
	codeIcon   = "icon_removed"
	linkMarker = `{"type":"text","text":"[link removed: it leads where this server's links may not]"}`

	// uriMarker stands for the URI of an embedded resource, which must have one. It
	// leads nowhere: nobody resolves a namespace that is not registered (RFC 8141, 5.1).
	uriMarker = "urn:mcp-gateway:link-removed"
)

// IsMeaning tells the findings about what content means from those about its bytes.
func IsMeaning(code string) bool {
	return code == codeLink || code == codeIcon || code == meaning.CodeDirective || code == meaning.CodeAddress
}

// Origin is what a Content holds as that of an upstream at a URL.
func Origin(link string) string { return meaning.Origin(link) }

// Cleans says whether anything is done to the content at all.
func (r *Redactor) Cleans() bool { return !r.content.Uncleaned }

// Names says whether the source of a result is named whatever stands in it.
func (r *Redactor) Names() bool { return r.content.Profile == Wrap && r.Cleans() }

// With returns a Redactor for one upstream's content. It shares everything else.
func (r *Redactor) With(c Content) *Redactor {
	return &Redactor{opt: r.opt, secrets: r.secrets, content: c}
}

// link takes a link out where it may not lead; it reports whether it did. raw is
// the block.
func (w *walker) link(i int, raw []byte) bool {
	if !w.secrets || w.r.Leads(linkOf(raw)) {
		return false
	}
	w.out = append(append(w.out, w.in[w.copied:i]...), linkMarker...)
	w.copied, w.changed = i+len(raw), true
	w.sign(codeLink)
	return true
}

// target handles the URI of an embedded resource. What was embedded stays; an address
// that links may not lead to goes.
func (w *walker) target(i, end int) {
	token := w.in[i:end]
	if link, _ := protocol.Text(token); w.secrets && link != "" && !w.r.Leads(link) {
		w.replace(i, end, uriMarker)
		w.sign(codeLink)
		return
	}
	w.rewrite(i, end, false)
}

// Leads says whether a link may be given, or a person sent there. One that hides
// anything leads nowhere; where nothing is cleaned, links lead anywhere.
func (r *Redactor) Leads(link string) bool {
	return r.content.Uncleaned || !hides(link) && meaning.Leads(link, r.content.Schemes, r.content.Hosts)
}

func hides(link string) bool {
	var c hidden.Cleaner
	_, found := c.Clean(nil, []byte(link))
	return found
}

// foreignIcon says whether the icon at i would be fetched from anywhere but its
// upstream (2026-07-28, Icon: https or data, of the same origin).
func (w *walker) foreignIcon(i int) bool {
	if !w.secrets || w.in[i] != '{' {
		return false
	}
	token, _ := protocol.Member(w.in[i:meaning.End(w.in, i)], "src")
	src, ok := protocol.Text(token)
	return ok && !meaning.Shows(src, w.r.content.Origin)
}

// leaveOut leaves the element at i out of its array, with one of the commas around
// it, and returns where the next begins.
func (w *walker) leaveOut(i int) int {
	w.sign(codeIcon)
	w.out = append(w.out, w.in[w.copied:i]...)
	end := rawjson.SkipSpace(w.in, meaning.End(w.in, i))
	next := w.comma(end)
	if next == end { // it was the last
		w.out = bytes.TrimRight(w.out, " \t\r\n")
		w.out = bytes.TrimSuffix(w.out, []byte{','})
	}
	w.copied, w.changed = next, true
	return next
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
