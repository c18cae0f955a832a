package export

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// The version of OCSF that is written, and the class: API Activity of the
// category Application Activity.
const (
	ocsfVersion  = "1.9.0"
	ocsfCategory = 6
	ocsfClass    = 6003
)

// The activities of API Activity.
const (
	activityUnknown = 0
	activityRead    = 2
	activityUpdate  = 3
	activityDelete  = 4
	activityOther   = 99
)

// The statuses and severities that are used.
const (
	statusUnknown = 0
	statusSuccess = 1
	statusFailure = 2

	severityInfo   = 1
	severityLow    = 2
	severityMedium = 3
)

type object = map[string]any

// OCSF returns the story as one API Activity event. build is the gateway's
// version, "" if it is not known.
func OCSF(s Story, build string) ([]byte, error) {
	e, end := s.First, s.ended()
	activity, name := activityOf(e)
	status, severity := verdict(s)
	out := object{
		"activity_id": activity, "activity_name": name,
		"category_uid": ocsfCategory, "category_name": "Application Activity",
		"class_uid": ocsfClass, "class_name": "API Activity",
		"type_uid": ocsfClass*100 + activity, "type_name": "API Activity: " + name,
		"time": e.Time.UnixMilli(), "severity_id": severity, "status_id": status,
		"metadata": metadata(e, build),
		"actor":    actor(e), "api": api(s), "src_endpoint": source(e),
		"ai_agent":        object{"uid": agentID(e)},
		"message_context": messageContext(e),
		"unmapped":        unmapped(s),
	}
	put(out, "duration", end.Duration.Milliseconds())
	put(out, "status_code", string(end.Code))
	put(out, "status_detail", joined(end.Reasons))
	if e.Run != "" {
		out["ai_agent"].(object)["instance_uid"] = string(e.Run)
	}
	if e.Trace != (audit.Trace{}) {
		out["trace"] = object{"uid": e.Trace.String()}
	}
	if e.Upstream != "" {
		out["dst_endpoint"] = object{"uid": string(e.Upstream)}
	}
	if e.Tool != "" {
		out["resources"] = []object{{"uid": string(e.Tool), "type": "MCP tool", "version": string(e.Definition)}}
	}
	return json.Marshal(out)
}

// activityOf maps what the reviewer says a tool does to the world. A write may
// create or update: what it was, nobody knows here.
func activityOf(e *audit.Event) (int, string) {
	switch {
	case e.Class == gateway.Read || strings.HasSuffix(string(e.Method), "/list") || strings.HasSuffix(string(e.Method), "/read"):
		return activityRead, "Read"
	case e.Class == gateway.Write:
		return activityUpdate, "Update"
	case e.Class == gateway.Destructive:
		return activityDelete, "Delete"
	case e.Method == "":
		return activityOther, string(e.Type)
	default:
		return activityUnknown, "Unknown"
	}
}

func verdict(s Story) (status, severity int) {
	end := s.ended()
	switch {
	case end.Outcome == gateway.OutcomeUnknown:
		return statusUnknown, severityMedium
	case s.First.Type == audit.ToolDecided && s.Last == nil:
		return statusUnknown, severityInfo // it is running
	case s.First.Effect == gateway.Deny || refusal(end.Type):
		return statusFailure, severityLow
	case end.Code != "" || end.Outcome == gateway.OutcomeFailed:
		return statusFailure, severityInfo
	default:
		return statusSuccess, severityInfo
	}
}

// refusal says whether an event is of something that was not let through. What a person
// refused was answered as they wished.
func refusal(t audit.Type) bool {
	return t == audit.AdminRefused || t == audit.ConfigRefused || t == audit.PolicyRefused || slices.Contains(audit.Refusals(), t)
}

func metadata(e *audit.Event, build string) object {
	product := object{"name": "mcp-gateway", "vendor_name": "mcp-gateway"}
	put(product, "version", build)
	m := object{
		"version": ocsfVersion, "uid": e.ID.String(), "product": product, "sequence": e.Seq,
		"profiles": []string{"ai_operation", "trace"}, "event_code": string(e.Type),
		"log_name": string(e.Replica), "log_version": "1",
	}
	if !e.Action.IsZero() {
		m["correlation_uid"] = e.Action.String()
	}
	return m
}

// actor is who asked, or who of those who run the gateway did it: by pseudonym, and by name only where events name people.
func actor(e *audit.Event) object {
	uid := string(cmp.Or(e.Principal, e.Approver))
	if uid == "" {
		uid = "mcp-gateway" // what the gateway did of itself
	}
	person := object{"uid": uid}
	put(person, "name", string(e.Subject))
	if e.Tenant != "" {
		person["org"] = object{"uid": string(e.Tenant)}
	}
	a := object{"user": person}
	put(a, "app_uid", string(e.Client))
	return a
}

func api(s Story) object {
	e, end := s.First, s.ended()
	operation := string(e.Tool)
	switch {
	case operation == "" && e.Method != "":
		operation = string(e.Method)
	case operation == "":
		operation = string(e.Type)
	}
	a := object{"operation": operation}
	put(a, "version", string(e.Revision))
	if e.Upstream != "" {
		service := object{"name": string(e.Upstream)}
		put(service, "version", string(e.UpstreamVersion))
		a["service"] = service
	}
	if e.Request != "" {
		a["request"] = object{"uid": string(e.Request)}
	}
	response := object{}
	put(response, "error", string(end.Code))
	put(response, "message", string(end.Outcome))
	if len(response) > 0 {
		a["response"] = response
	}
	return a
}

// source is where the request came from: an address is kept only as a digest.
func source(e *audit.Event) object {
	uid := string(e.Source)
	switch {
	case uid == "" && e.Client != "":
		uid = string(e.Client)
	case uid == "" && e.Transport != "":
		uid = string(e.Transport)
	case uid == "":
		uid = string(e.Replica)
	}
	return object{"uid": uid}
}

// agentID is the stable identity that a gateway sees of an agent: its credential.
func agentID(e *audit.Event) string {
	for _, id := range []string{string(e.Client), string(e.Principal)} {
		if id != "" {
			return id
		}
	}
	return "unknown"
}

// roleTool is the role of a tool in a message context.
const roleTool = 3

func messageContext(e *audit.Event) object {
	m := object{"ai_role_id": roleTool, "service": object{"name": "mcp-gateway"}}
	put(m, "uid", string(e.Run))
	return m
}

// unmapped keeps the rest of both events under its own names.
func unmapped(s Story) object {
	out := object{"mcp_gateway": eventObject(s.First)}
	if s.Last != nil {
		out["mcp_gateway_settled"] = eventObject(s.Last)
	}
	return out
}

func eventObject(e *audit.Event) json.RawMessage { return audit.AppendJSON(nil, e) }

func put[T comparable](o object, key string, value T) {
	var none T
	if value != none {
		o[key] = value
	}
}

func joined(reasons []gateway.Reason) string {
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = string(r)
	}
	return strings.Join(slices.Compact(texts), ",")
}
