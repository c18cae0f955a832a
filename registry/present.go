package registry

import (
	"fmt"
	"reflect"

	"mcp-gateway/gateway"
)

// presentation is the host's rendering of one definition under given facts.
type presentation struct {
	facts    gateway.ExposureFacts
	exposed  []byte // under its exposed name
	own      []byte // under its upstream's name
	findings []gateway.Finding
	err      error
}

// present renders a definition, or takes the rendering that was made before of
// the same definition with the same facts.
func (r *Registry) present(d *Definition, facts *gateway.ExposureFacts, exposed string) *presentation {
	if p := r.presented[d]; p != nil && reflect.DeepEqual(&p.facts, facts) {
		return p
	}
	p := &presentation{facts: *facts}
	if r.opts.Present != nil {
		p.render(r.opts.Present, d, exposed)
	}
	return p
}

func (p *presentation) render(present Presenter, d *Definition, exposed string) {
	defer func() {
		if v := recover(); v != nil {
			p.err = fmt.Errorf("panic while presenting: %v", v)
		}
	}()
	facts := p.facts
	var fragment func(string) []byte
	if fragment, p.findings, p.err = present(d, &facts); p.err == nil {
		p.exposed, p.own = fragment(exposed), fragment(d.Name)
	}
}

// critical returns the code of a finding that withholds the tool; a reviewer
// may have waived it by name.
func (p *presentation) critical(rec *Record) (gateway.Reason, bool) {
	for _, f := range p.findings {
		if f.Severity != gateway.Critical {
			continue
		}
		if rec == nil || rec.Waive[f.Code] == "" {
			return gateway.Reason(f.Code), true
		}
	}
	return "", false
}
