package export

import (
	"encoding/json"
	"strconv"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// The numbers of severities in OTLP.
const (
	otlpInfo = 9
	otlpWarn = 13
)

// OTLP returns the events as one ExportLogsServiceRequest in JSON, as OTLP/HTTP
// takes it. Each record's body is the event as it stands in the journal.
func OTLP(events []audit.Event, build string) ([]byte, error) {
	records := make([]object, 0, len(events))
	for i := range events {
		records = append(records, record(&events[i]))
	}
	resource := []object{text("service.name", "mcp-gateway")}
	if build != "" {
		resource = append(resource, text("service.version", build))
	}
	return json.Marshal(object{"resourceLogs": []object{{
		"resource":  object{"attributes": resource},
		"scopeLogs": []object{{"scope": object{"name": "mcp-gateway/audit", "version": "1"}, "logRecords": records}},
	}}})
}

func record(e *audit.Event) object {
	number, word := otlpInfo, "INFO"
	if e.Effect == gateway.Deny || e.Outcome == gateway.OutcomeUnknown || e.Type == audit.ToolRefused {
		number, word = otlpWarn, "WARN"
	}
	nanos := strconv.FormatInt(e.Time.UnixNano(), 10)
	r := object{
		"timeUnixNano": nanos, "observedTimeUnixNano": nanos, "severityNumber": number, "severityText": word,
		"eventName": "mcp-gateway." + string(e.Type),
		"body":      object{"stringValue": string(audit.AppendJSON(nil, e))},
	}
	var attributes []object
	for _, a := range [...]struct{ key, value string }{
		{"mcp_gateway.event.id", e.ID.String()}, {"service.instance.id", string(e.Replica)},
		{"mcp.method.name", string(e.Method)}, {"gen_ai.tool.name", string(e.Tool)},
		{"mcp_gateway.upstream", string(e.Upstream)}, {"mcp_gateway.principal", string(e.Principal)},
		{"mcp_gateway.effect", string(e.Effect)}, {"error.type", string(e.Code)}, {"mcp_gateway.outcome", string(e.Outcome)},
	} {
		if a.value != "" {
			attributes = append(attributes, text(a.key, a.value))
		}
	}
	r["attributes"] = attributes
	if e.Trace != (audit.Trace{}) {
		r["traceId"] = e.Trace.String()
	}
	return r
}

func text(key, value string) object {
	return object{"key": key, "value": object{"stringValue": value}}
}
