package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/schema"
)

// MaxDefinition is how many bytes one tool definition may have as sent. The
// largest that we met in 36 public servers has 85 KB.
const MaxDefinition = 256 << 10

// Definition is one tool as its upstream listed it, checked and compiled. It
// never changes; the slices are parts of Raw and not to be written.
type Definition struct {
	ID           gateway.ToolID
	Name         string // the upstream's own name: ID.Tool
	Raw          []byte // the object as sent: strictly checked JSON
	Digest       gateway.Digest
	InputSchema  []byte
	OutputSchema []byte // nil when none is declared
	Input        *schema.Schema
	Output       *schema.Schema // nil when none is declared
	Mirrors      []protocol.Mirror
}

// admission is what became of one listed object. It is kept, so that the same
// bytes need not be judged again.
type admission struct {
	raw    []byte
	def    *Definition    // never nil; only partly filled when there is a reason
	reason gateway.Reason // "" = fit to be served
	err    error
	at     time.Time
}

// examine admits one listed object of which the caller may reuse the bytes.
func examine(upstream string, raw []byte, at time.Time) *admission {
	return contain(upstream, bytes.Clone(raw), at, admit)
}

// contain makes a panic that object's fault and no other's.
func contain(upstream string, raw []byte, at time.Time,
	judge func(string, []byte) (*Definition, gateway.Reason, error)) (a *admission) {
	a = &admission{raw: raw, at: at}
	defer func() {
		if p := recover(); p != nil {
			a.def = &Definition{ID: gateway.ToolID{Upstream: upstream}, Raw: raw, Digest: plainDigest(raw)}
			a.reason, a.err = gateway.ReasonAdmissionFailed, fmt.Errorf("panic while admitting: %v", p)
		}
	}()
	a.def, a.reason, a.err = judge(upstream, raw)
	return a
}

// admit judges one listed object by itself. A reason says that it must not be
// served, whatever a reviewer thinks of it, and err gives the cause; the
// definition is then filled as far as it could be read.
func admit(upstream string, raw []byte) (*Definition, gateway.Reason, error) {
	d := &Definition{ID: gateway.ToolID{Upstream: upstream}, Raw: raw}
	if err := protocol.Check(raw, protocol.DefaultLimits()); err != nil {
		d.Digest = plainDigest(raw)
		return d, reasonOf(err, gateway.ReasonMalformed), err
	}
	d.Digest = protocol.DigestOf(raw)
	if protocol.Kind(raw) != '{' {
		return d, gateway.ReasonMalformed, errors.New("the listed tool is not an object")
	}
	name, _ := member(raw, "name")
	text, ok := protocol.Text(name)
	if !ok || !validName(text) {
		return d, gateway.ReasonNameInvalid, errors.New("the tool's name is missing or outside [A-Za-z0-9_.-]{1,128}")
	}
	d.Name, d.ID.Tool = text, text
	if len(raw) > MaxDefinition {
		return d, gateway.ReasonDefinitionTooBig, fmt.Errorf("the definition has %d bytes, at most %d are taken", len(raw), MaxDefinition)
	}
	if reason, err := compile(d); err != nil {
		return d, reason, err
	}
	return d, "", nil
}

// compile fills in the schemas and what else the definition asks of a caller.
func compile(d *Definition) (gateway.Reason, error) {
	var err error
	var declared bool
	if d.InputSchema, declared = member(d.Raw, "inputSchema"); !declared {
		return gateway.ReasonSchemaInvalid, errors.New("inputSchema is missing")
	}
	if d.Input, err = schema.Compile(d.InputSchema, schema.Limits{RequireObject: true}); err != nil {
		return reasonOf(err, gateway.ReasonSchemaInvalid), fmt.Errorf("inputSchema: %w", err)
	}
	if d.OutputSchema, declared = member(d.Raw, "outputSchema"); declared {
		if d.Output, err = schema.Compile(d.OutputSchema, schema.Limits{}); err != nil {
			return reasonOf(err, gateway.ReasonSchemaInvalid), fmt.Errorf("outputSchema: %w", err)
		}
	}
	if d.Mirrors, err = protocol.Mirrors(d.InputSchema); err != nil {
		return reasonOf(err, gateway.ReasonHeaderMirror), err
	}
	execution, _ := member(d.Raw, "execution")
	support, _ := member(execution, "taskSupport")
	if s, _ := protocol.Text(support); s == "required" {
		return gateway.ReasonTaskRequired, errors.New("the tool can only run as a task")
	}
	return "", nil
}

// member returns a member of a checked object; null counts as absent, for
// servers that write out every optional field.
func member(raw []byte, name string) ([]byte, bool) {
	if protocol.Kind(raw) != '{' {
		return nil, false
	}
	value, ok := protocol.Member(raw, name)
	if !ok || protocol.Kind(value) == 'n' {
		return nil, false
	}
	return value, true
}

// reasonOf returns the reason that an error carries, or else the fallback.
func reasonOf(err error, fallback gateway.Reason) gateway.Reason {
	var e *gateway.Error
	switch {
	case !errors.As(err, &e):
		return fallback
	case len(e.Reasons) > 0:
		return e.Reasons[0]
	case e.Code == gateway.CodeTooLarge:
		return gateway.ReasonDefinitionTooBig
	default:
		return fallback
	}
}

// plainDigest names bytes that are no JSON and so have no canonical form.
func plainDigest(raw []byte) gateway.Digest {
	sum := sha256.Sum256(raw)
	return gateway.Digest("sha256:" + hex.EncodeToString(sum[:]))
}
