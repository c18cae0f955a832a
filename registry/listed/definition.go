package listed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/findings"
	"mcp-gateway/registry/uri"
	"mcp-gateway/schema"
)

// MaxDefinition is how many bytes one tool definition may have as sent. The
// largest that we met in 36 public servers has 85 KB.
const MaxDefinition = 256 << 10

// Definition is one thing as its upstream listed it, checked and compiled. It
// never changes; the slices are parts of Raw and not to be written. The schemas
// and mirrors are those of a tool.
type Definition struct {
	ID           gateway.ItemID
	Name         string // the upstream's own name: ID.Name
	Raw          []byte // the object as sent: strictly checked JSON
	Digest       gateway.Digest
	Contract     [16]byte // first half of the SHA-256 over both schemas, canonical; zero when they are not sound
	InputSchema  []byte
	OutputSchema []byte // nil when none is declared
	Input        *schema.Schema
	Output       *schema.Schema // nil when none is declared
	Mirrors      []protocol.Mirror
	Template     *uri.Template     // of a resource template
	Findings     []gateway.Finding // what it shows by itself
	Mentions     []string          // what its texts say that may be the name of a tool
}

// Admission is what became of one listed object. It is kept, so that the same
// bytes need not be judged again.
type Admission struct {
	Raw    []byte
	Def    *Definition    // never nil; only partly filled when there is a reason
	Reason gateway.Reason // "" = fit to be served
	Err    error
	At     time.Time
}

// Is says whether the same bytes were listed as the same kind.
func (a *Admission) Is(kind gateway.Kind, raw []byte) bool {
	return a.Def.ID.Kind == kind && bytes.Equal(a.Raw, raw)
}

// Desk examines the objects of one list. Schemas that are the same byte for byte, as
// those of tools that take nothing, are compiled once and shared. The zero value is
// ready; it is used by one goroutine.
type Desk struct {
	inputs, outputs map[string]*schema.Schema
}

// Examine admits one listed object of which the caller may reuse the bytes.
func (k *Desk) Examine(id gateway.ItemID, raw []byte, at time.Time) *Admission {
	return contain(id, raw, at, k.admit)
}

// Examine is Desk.Examine for an object by itself.
func Examine(id gateway.ItemID, raw []byte, at time.Time) *Admission {
	return new(Desk).Examine(id, raw, at)
}

// schemaOf compiles what was not compiled before. What is no sound schema is not kept.
func schemaOf(kept *map[string]*schema.Schema, raw []byte, lim schema.Limits) (*schema.Schema, error) {
	if s := (*kept)[string(raw)]; s != nil {
		return s, nil
	}
	s, err := schema.Compile(raw, lim)
	if err != nil {
		return nil, err
	}
	if *kept == nil {
		*kept = make(map[string]*schema.Schema)
	}
	(*kept)[string(raw)] = s
	return s, nil
}

// contain makes a panic in admit that object's fault and no other's.
func contain(id gateway.ItemID, raw []byte, at time.Time,
	admit func(gateway.ItemID, []byte) (*Definition, gateway.Reason, error)) (a *Admission) {
	a = &Admission{Raw: bytes.Clone(raw), At: at}
	defer func() {
		if p := recover(); p != nil {
			a.Def = &Definition{ID: id, Raw: a.Raw, Digest: plainDigest(a.Raw)}
			a.Reason, a.Err = gateway.ReasonAdmissionFailed, fmt.Errorf("panic while admitting: %v", p)
		}
	}()
	a.Def, a.Reason, a.Err = admit(id, a.Raw)
	return a
}

// admit judges one listed object by itself. A reason says that it must not be
// served, whatever a reviewer thinks of it, and err gives the cause; the
// definition is then filled as far as it could be read. id has no name yet.
func (k *Desk) admit(id gateway.ItemID, raw []byte) (*Definition, gateway.Reason, error) {
	d := &Definition{ID: id, Raw: raw}
	if err := protocol.Check(raw, protocol.DefaultLimits()); err != nil {
		d.Digest = plainDigest(raw)
		return d, ReasonOf(err, gateway.ReasonMalformed), err
	}
	d.Digest = protocol.DigestOf(raw)
	if protocol.Kind(raw) != '{' {
		return d, gateway.ReasonMalformed, errors.New("what is listed is not an object")
	}
	if err := d.name(); err != nil {
		return d, gateway.ReasonNameInvalid, err
	}
	if len(raw) > MaxDefinition {
		return d, gateway.ReasonDefinitionTooBig, fmt.Errorf("the definition has %d bytes, at most %d are taken", len(raw), MaxDefinition)
	}
	report := findings.Inspect(id.Kind, d.Name, raw)
	d.Findings, d.Mentions = report.Findings, report.Mentions
	if id.Kind != gateway.KindTool {
		return d, "", nil
	}
	if reason, err := k.compile(d); err != nil {
		return d, reason, err
	}
	return d, "", nil
}

// name reads what the thing is called: tools and prompts by name, resources by
// their normalised URI, templates by their URI template.
func (d *Definition) name() error {
	member, _ := member(d.Raw, nameMember(d.ID.Kind))
	text, ok := protocol.Text(member)
	if !ok {
		return fmt.Errorf("%s is missing or no string", nameMember(d.ID.Kind))
	}
	var err error
	switch d.ID.Kind {
	case gateway.KindResource:
		text, err = uri.Normalize(text)
	case gateway.KindTemplate:
		d.Template, err = uri.ParseTemplate(text)
	default:
		if !validName(text) {
			err = errors.New("the name is outside [A-Za-z0-9_.-]{1,128}")
		}
	}
	if err == nil {
		d.Name, d.ID.Name = text, text
	}
	return err
}

func nameMember(kind gateway.Kind) string {
	switch kind {
	case gateway.KindResource:
		return "uri"
	case gateway.KindTemplate:
		return "uriTemplate"
	default:
		return "name"
	}
}

// compile fills in the schemas and what else the definition asks of a caller.
func (k *Desk) compile(d *Definition) (gateway.Reason, error) {
	var err error
	var declared bool
	if d.InputSchema, declared = member(d.Raw, "inputSchema"); !declared {
		return gateway.ReasonSchemaInvalid, errors.New("inputSchema is missing")
	}
	if d.Input, err = schemaOf(&k.inputs, d.InputSchema, schema.Limits{RequireObject: true}); err != nil {
		return ReasonOf(err, gateway.ReasonSchemaInvalid), fmt.Errorf("inputSchema: %w", err)
	}
	if d.OutputSchema, declared = member(d.Raw, "outputSchema"); declared {
		if d.Output, err = schemaOf(&k.outputs, d.OutputSchema, schema.Limits{}); err != nil {
			return ReasonOf(err, gateway.ReasonSchemaInvalid), fmt.Errorf("outputSchema: %w", err)
		}
	}
	if d.Mirrors, err = protocol.Mirrors(d.InputSchema); err != nil {
		return ReasonOf(err, gateway.ReasonHeaderMirror), err
	}
	d.Contract = protocol.SumOf(d.InputSchema, d.OutputSchema)
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

// ReasonOf returns the reason that an error carries, or else the fallback.
func ReasonOf(err error, fallback gateway.Reason) gateway.Reason {
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
