package redact

import (
	"errors"

	"mcp-gateway/gateway"
	"mcp-gateway/redact/place"
)

var errHidden = errors.New("hidden characters in what comes back or is obeyed")

// Asking cleans an InputRequiredResult, by which an upstream asks the host:
// messages, prompts, and the texts of forms. What comes back with the answer or
// is obeyed stays byte for byte: keys, methods, modes, URLs, names and values of
// fields, requestState. Hidden characters there are CodeAskRefused.
func (r *Redactor) Asking(raw []byte) (Clean, error) { return refuseHidden(r.clean(raw, place.Asking)) }

// Asked is Asking for the params of one such request.
func (r *Redactor) Asked(params []byte) (Clean, error) {
	return refuseHidden(r.clean(params, place.Asked))
}

func refuseHidden(c Clean, err error) (Clean, error) {
	for _, f := range c.report.Findings {
		if f.Severity == gateway.Critical {
			return Clean{}, gateway.Because(gateway.CodeAskRefused, errHidden, gateway.ReasonAskHidden)
		}
	}
	return c, err
}
