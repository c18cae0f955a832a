package inquiry

import (
	"errors"
	"net/url"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/state"
)

// MaxQuestions is how many questions one result may hold.
const MaxQuestions = 32

// Own begins the keys of the gateway's own questions among inputRequests. An upstream
// may not use it.
const Own = "mcp-gateway/"

// Question is one request of an upstream to the host.
type Question struct {
	Key    string // what its answer goes by; "" for one that is asked in mid-call
	Method string
	Params []byte // a raw object; nil = none
}

// Inquiry is an InputRequiredResult as far as the gateway reads it.
type Inquiry struct {
	Questions []Question
	State     []byte // requestState, a JSON string as it came; nil = none
}

// Is says whether a result is an inquiry.
func Is(result []byte) bool {
	kind, _ := protocol.Member(result, "resultType")
	return protocol.IsText(kind, protocol.ResultInputRequired)
}

// Read reads an inquiry (2026-07-28, InputRequiredResult). One that is not of its
// shape is a *gateway.Error of CodeContractViolation.
func Read(result []byte) (Inquiry, error) {
	var q Inquiry
	requests, _ := protocol.Member(result, "inputRequests")
	inner, _ := protocol.Member(result, "requestState")
	switch {
	case requests != nil && protocol.Kind(requests) != '{' && protocol.Kind(requests) != 'n':
		return q, shape("inputRequests is no object")
	case inner != nil && protocol.Kind(inner) != '"' && protocol.Kind(inner) != 'n':
		return q, shape("requestState is no string")
	case len(inner) > state.MaxInner:
		return q, gateway.Because(gateway.CodeContractViolation, errors.New("requestState is too large"), gateway.ReasonResultTooLarge)
	}
	if protocol.Kind(inner) == '"' {
		q.State = inner
	}
	if protocol.Kind(requests) == '{' {
		for key, request := range protocol.Members(requests) {
			question, ok := read(request)
			if !ok || len(q.Questions) == MaxQuestions {
				return q, shape("a request that is none, or too many of them")
			}
			question.Key = string(key)
			q.Questions = append(q.Questions, question)
		}
	}
	if q.State == nil && len(q.Questions) == 0 {
		return q, shape("neither inputRequests nor requestState")
	}
	return q, nil
}

func read(request []byte) (Question, bool) {
	if protocol.Kind(request) != '{' {
		return Question{}, false
	}
	raw, _ := protocol.Member(request, "method")
	method, _ := protocol.Text(raw)
	params, has := protocol.Member(request, "params")
	if has && protocol.Kind(params) != '{' {
		return Question{}, false
	}
	switch method {
	case protocol.MethodElicit, protocol.MethodCreateMessage:
		return Question{Method: method, Params: params}, has
	case protocol.MethodRootsList:
		return Question{Method: method, Params: params}, true
	}
	return Question{}, false
}

func shape(what string) error {
	return gateway.Because(gateway.CodeContractViolation, errors.New("input_required: "+what), gateway.ReasonResultShape)
}

// Judge says whether a question may be asked at all: a form must not ask for
// secrets, by whatever field at whatever depth, or by its words where it takes text
// (2026-07-28, Elicitation, Security), and a URL must be one for browsers that leads where the upstream's links may.
func (q *Question) Judge(leads func(link string) bool) error {
	if strings.HasPrefix(q.Key, Own) {
		return gateway.Fail(gateway.CodeAskRefused)
	}
	if q.Method != protocol.MethodElicit {
		return nil
	}
	if q.isURL() {
		if link, host := q.target(); host == "" || !leads(link) {
			return gateway.Fail(gateway.CodeAskRefused, gateway.ReasonURLAsked)
		}
		return nil
	}
	form, _ := protocol.Member(q.Params, "requestedSchema")
	if asksForSecret(form, 0) || takesText(form) && solicits(q.Params, "message", "title") {
		return gateway.Fail(gateway.CodeAskRefused, gateway.ReasonSecretAsked)
	}
	return nil
}

// solicits reports whether a text that a person is shown asks for a secret.
func solicits(object []byte, names ...string) bool {
	for _, name := range names {
		raw, _ := protocol.Member(object, name)
		if text, ok := protocol.Text(raw); ok && protocol.SolicitsSecret(text) {
			return true
		}
	}
	return false
}

// takesText reports whether something can be typed into a form: a field is neither yes
// or no nor a choice. A form that is composed of others may hold such a field.
func takesText(form []byte) bool {
	if protocol.Kind(form) != '{' {
		return false
	}
	for keyword, part := range protocol.Members(form) {
		switch string(keyword) {
		case "type", "required", "$schema", "title", "description", "additionalProperties":
		case "properties":
			if protocol.Kind(part) == '{' && anyTyped(part) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// anyTyped is takesText of the fields of a form.
func anyTyped(fields []byte) bool {
	for _, field := range protocol.Members(fields) {
		if typed(field) {
			return true
		}
	}
	return false
}

func typed(field []byte) bool {
	if protocol.Kind(field) != '{' {
		return true
	}
	for _, choice := range [...]string{"enum", "oneOf", "anyOf", "const"} {
		if _, has := protocol.Member(field, choice); has {
			return false
		}
	}
	kind, _ := protocol.Member(field, "type")
	return !protocol.IsText(kind, "boolean") && !protocol.IsText(kind, "array")
}

// maxForm is how deep a form is looked through; the protocol's own are flat.
const maxForm = 32

// asksForSecret looks for a field that asks for a secret, wherever a schema may
// declare one.
func asksForSecret(form []byte, depth int) bool {
	if depth > maxForm {
		return true
	}
	switch protocol.Kind(form) {
	case '[':
		for part := range protocol.Elements(form) {
			if asksForSecret(part, depth+1) {
				return true
			}
		}
	case '{':
		for keyword, part := range protocol.Members(form) {
			if asksWithin(string(keyword), part, depth) {
				return true
			}
		}
	}
	return false
}

// asksWithin looks at the value of one keyword of a schema.
func asksWithin(keyword string, part []byte, depth int) bool {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if protocol.Kind(part) != '{' {
			return false
		}
		for name, field := range protocol.Members(part) {
			declares := protocol.Kind(field) == '{' && keyword == "properties"
			if declares && (protocol.AsksForSecret(field, string(name)) || typed(field) && solicits(field, "description")) || asksForSecret(field, depth+1) {
				return true
			}
		}
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "prefixItems", "contains",
		"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems":
		return asksForSecret(part, depth+1)
	}
	return false
}

// target returns the URL that a person is sent to, and its host; "" for one that is
// not for browsers.
func (q *Question) target() (link, host string) {
	raw, _ := protocol.Member(q.Params, "url")
	link, _ = protocol.Text(raw)
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return link, ""
	}
	return link, u.Hostname()
}

// isURL says whether an elicitation is of mode url; a form needs no mode.
func (q *Question) isURL() bool {
	mode, _ := protocol.Member(q.Params, "mode")
	return protocol.IsText(mode, "url")
}
