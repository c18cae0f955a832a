package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mcp-gateway/gateway"
)

// Version is the "v" member of every statement.
const Version = 1

// PayloadType names a statement inside a DSSE envelope.
const PayloadType = "application/vnd.mcp-gateway.receipt.v1+json"

// Statement is what a receipt says. Its members are the whole format, in this
// order; what is empty is left out.
type Statement struct {
	V       int    `json:"v"`
	Action  string `json:"action"`
	Attempt int    `json:"attempt"`

	Principal string `json:"principal"` // a pseudonym of receipts, not that of events
	Tenant    string `json:"tenant,omitempty"`

	Upstream   string         `json:"upstream"`
	Tool       string         `json:"tool"` // the upstream's own name for it
	Definition gateway.Digest `json:"definition"`

	Policy   string           `json:"policy"` // its revision
	Effect   gateway.Effect   `json:"effect"`
	Reasons  []gateway.Reason `json:"reasons,omitempty"`
	Approval string           `json:"approval,omitempty"` // the ticket's id

	Arguments Arguments `json:"arguments"`

	Outcome           gateway.Outcome `json:"outcome"`
	Code              gateway.Code    `json:"code,omitempty"`     // what the caller was told instead of a result
	Findings          []string        `json:"findings,omitempty"` // codes of what was found in the result, sorted
	ExternalID        string          `json:"external_id,omitempty"`
	MissingExternalID bool            `json:"missing_external_id,omitempty"` // no evidence of the outcome
	VerifiedBy        string          `json:"verified_by,omitempty"`         // the read tool that found the external id

	Reconciled Source         `json:"reconciled_by,omitempty"` // who says what became of an outcome that was unknown, or named what ran
	Supersedes gateway.Digest `json:"supersedes,omitempty"`    // the receipt that knew less

	Host    Hop       `json:"host"`   // host to gateway
	Upward  Hop       `json:"upward"` // gateway to upstream
	KeyFrom KeySource `json:"key_from"`

	DecidedAt  string `json:"decided_at"`
	FinishedAt string `json:"finished_at,omitempty"`

	Decided  EventRef `json:"decided"`
	Finished EventRef `json:"finished,omitzero"`
	// Told is the event of a reconciled outcome; zero where the outcome is that of
	// Finished.
	Told EventRef `json:"reconciled,omitzero"`

	Build string `json:"build"`
}

// Arguments are named by a salted digest: whoever holds them can check it.
type Arguments struct {
	Salt   string         `json:"salt"` // base64url
	Digest gateway.Digest `json:"digest"`
}

// Hop is one hop's revision of the protocol.
type Hop struct {
	Era      string `json:"era"`
	Revision string `json:"revision"`
}

// EventRef names one event of the journal: its place and the SHA-256 of its line.
type EventRef struct {
	Replica string `json:"replica"`
	Boot    uint64 `json:"boot"`
	Seq     uint64 `json:"seq"`
	Hash    string `json:"hash"`
}

// IsZero says whether there is no event.
func (r EventRef) IsZero() bool { return r == EventRef{} }

// Stamp returns a time as statements have it.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Bytes returns the statement in the form that is signed.
func (s *Statement) Bytes() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// ErrStatement: the payload is no statement of this version.
var ErrStatement = errors.New("receipt: not a statement of this version")

// ParseStatement reads what Bytes wrote, and nothing else: an unknown member, a
// repeated one or another order is ErrStatement.
func ParseStatement(payload []byte) (*Statement, error) {
	var s Statement
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || s.V != Version {
		return nil, ErrStatement
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrStatement
	}
	again, err := s.Bytes()
	if err != nil || !bytes.Equal(again, payload) {
		return nil, ErrStatement
	}
	return &s, nil
}
