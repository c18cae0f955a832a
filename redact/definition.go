package redact

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact/place"
)

// Definition cleans the texts of a tool definition: title, description,
// annotations, _meta and other free members of the tool, and at every level of
// its schemas title, description, $comment and examples. What was removed there
// is a Warning finding.
//
// Everything that has a meaning stays byte for byte: member names, name, enum,
// const, default, pattern, required and the other schema keywords. Hidden
// characters there are Critical findings, upon which the tool is withheld, since
// nobody could have meant them and nobody can see them. Secrets are not looked
// for: a definition is reviewed by a person, and examples of keys are common.
//
// raw is a JSON object that protocol.Check has passed. The findings name each
// class once per severity, at the first place it was seen.
func (r *Redactor) Definition(raw []byte) (clean []byte, findings []gateway.Finding, err error) {
	return r.Item(gateway.KindTool, raw)
}

// Item is Definition for what is offered of any kind. Of a prompt the names of
// its arguments have a meaning too; of a resource and of a template uri,
// uriTemplate and mimeType have, and name is a label.
func (r *Redactor) Item(kind gateway.Kind, raw []byte) (clean []byte, findings []gateway.Finding, err error) {
	if protocol.Kind(raw) != '{' {
		return nil, nil, gateway.Because(gateway.CodeContractViolation, errObject)
	}
	w := r.take(raw, false)
	defer r.give(w)
	p := place.Tool
	switch kind {
	case gateway.KindPrompt:
		p = place.Prompt
	case gateway.KindResource, gateway.KindTemplate:
		p = place.Listed
	}
	clean, err = w.run(p)
	if r.content.Uncleaned && err == nil {
		clean = raw
	}
	return clean, w.findings, err
}
