package redact

import (
	"mcp-gateway/gateway"
	"mcp-gateway/redact/bound"
	"mcp-gateway/redact/place"
)

// _meta keys by which the gateway speaks: whose words a result is, and that some of
// them are missing.
const (
	SourceKey    = bound.SourceKey
	TruncatedKey = bound.TruncatedKey
)

// Findings of Business, both Info.
const (
	findingTruncated = "error_truncated"
	findingReserved  = "reserved_meta"
)

// Business prepares an upstream's own error, a result with isError, for the
// host. It is cleaned like any Result; each text block is cut to
// Options.BlockText bytes and all of them to Options.TotalText, at a rune and
// with the marker "… [truncated: N bytes]"; other blocks, structuredContent and
// further members stay whole or, beyond what is left of the total, go. _meta
// loses its reserved keys (a prefix whose second label is mcp or
// modelcontextprotocol) but for serverInfo, and gains
// SourceKey and, where anything was cut, TruncatedKey.
func (r *Redactor) Business(raw []byte, upstream string) (Clean, error) {
	c, err := r.whole(raw, place.Result)
	if err != nil {
		return Clean{}, err
	}
	failure := bound.Error(c.bytes, r.opt.BlockText, r.opt.TotalText, len(raw), upstream)
	c.bytes, c.changed = failure.JSON, true
	if failure.Truncated {
		c.report.Findings = append(c.report.Findings, gateway.Finding{Code: findingTruncated, Severity: gateway.Info})
	}
	if failure.Reserved {
		c.report.Findings = append(c.report.Findings, gateway.Finding{Code: findingReserved, Path: "/_meta", Severity: gateway.Info})
	}
	r.framed(&c, place.Result)
	return c, nil
}
