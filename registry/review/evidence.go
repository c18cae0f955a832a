package review

import (
	"errors"
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/schema/promise"
)

// WaiveEvidence is the waiver by which a reviewer takes a write whose result need
// not name what was written.
const WaiveEvidence = "external_id"

// Fits says whether what the record says of a definition's arguments and results is
// borne out by its schemas; output is nil where a tool declares none. A write whose
// evidence its output schema does not guarantee is refused with ReasonNoEvidence,
// unless a reviewer waived it.
func (rec *Record) Fits(kind gateway.Kind, input, output []byte) error {
	if kind != gateway.KindTool {
		return nil
	}
	f := &rec.Facts
	if f.IdempotencyField != "" && !promise.Declared(input, f.IdempotencyField) {
		return unfit("", fmt.Errorf("idempotency argument %s: the input schema declares no such argument", f.IdempotencyField))
	}
	for pointer := range f.Data {
		if !promise.Declared(input, pointer) {
			return unfit("", fmt.Errorf("data %s: the input schema declares no such argument", pointer))
		}
	}
	for _, pointer := range f.Handles.Takes {
		if !promise.Declared(input, pointer) {
			return unfit("", fmt.Errorf("handles %s: the input schema declares no such argument", pointer))
		}
	}
	for pointer := range f.Bounds {
		if !promise.Declared(input, pointer) {
			return unfit("", fmt.Errorf("bounds %s: the input schema declares no such argument", pointer))
		}
	}
	return rec.Proved(output)
}

// Proved says whether a write's results are sure to hold the evidence that the
// record names.
func (rec *Record) Proved(output []byte) error {
	f := &rec.Facts
	if f.Outcomes != nil && f.Class() != gateway.Read {
		if output == nil {
			return unfit(gateway.ReasonNoEvidence, errors.New("outcome "+f.Outcomes.Pointer+": there is no output schema that could guarantee it"))
		}
		if err := promise.Guaranteed(output, f.Outcomes.Pointer); err != nil {
			return unfit(gateway.ReasonNoEvidence, fmt.Errorf("outcome %s: %w", f.Outcomes.Pointer, err))
		}
	}
	if f.ExternalID == "" || f.Class() == gateway.Read || rec.Waive[WaiveEvidence] != "" {
		return nil // the record's own rules ask for a pointer or a waiver
	}
	if output == nil {
		return unfit(gateway.ReasonNoEvidence, errors.New("external id "+f.ExternalID+": there is no output schema that could guarantee it"))
	}
	if err := promise.Guaranteed(output, f.ExternalID); err != nil {
		return unfit(gateway.ReasonNoEvidence, fmt.Errorf("external id %s: %w", f.ExternalID, err))
	}
	return nil
}

func unfit(reason gateway.Reason, err error) error {
	e := gateway.Because(gateway.CodeContractViolation, err)
	if reason != "" {
		e.Reasons = []gateway.Reason{reason}
	}
	return e
}
