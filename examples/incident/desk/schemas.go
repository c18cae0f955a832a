package desk

import "encoding/json"

// The schemas of the tools. They are closed: an argument or result member that
// they do not name is an error.
var (
	statusInputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"service": {"type": "string", "enum": ["payments"], "description": "The service."},
			"window_minutes": {"type": "integer", "minimum": 1, "maximum": 30, "description": "How many minutes back."}
		},
		"required": ["service", "window_minutes"],
		"additionalProperties": false
	}`)
	statusOutputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"service": {"type": "string"},
			"observed_at": {"type": "string", "format": "date-time"},
			"window_minutes": {"type": "integer"},
			"error_rate": {"type": "number", "minimum": 0, "maximum": 1},
			"checkout_failure_rate": {"type": "number", "minimum": 0, "maximum": 1},
			"evidence_id": {"type": "string"}
		},
		"required": ["service", "observed_at", "window_minutes", "error_rate", "checkout_failure_rate", "evidence_id"],
		"additionalProperties": false
	}`)
	deploymentsInputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"service": {"type": "string", "enum": ["payments"], "description": "The service."},
			"since": {"type": "string", "format": "date-time", "maxLength": 40, "description": "The earliest time, RFC 3339."}
		},
		"required": ["service", "since"],
		"additionalProperties": false
	}`)
	deploymentsOutputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"deployments": {
				"type": "array",
				"items": {
					"type": "object",
					"properties": {
						"id": {"type": "string"},
						"service": {"type": "string"},
						"version": {"type": "string"},
						"deployed_at": {"type": "string", "format": "date-time"}
					},
					"required": ["id", "service", "version", "deployed_at"],
					"additionalProperties": false
				}
			}
		},
		"required": ["deployments"],
		"additionalProperties": false
	}`)
	createInputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"title": {"type": "string", "minLength": 1, "maxLength": 120, "description": "What is wrong, in one line."},
			"severity": {"type": "string", "enum": ["P1", "P2", "P3", "P4"], "description": "By the runbook."},
			"evidence_ids": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 64}, "minItems": 1, "maxItems": 16, "description": "Ids of what was read."},
			"request_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "Names this request; the same one opens one ticket."}
		},
		"required": ["title", "severity", "evidence_ids", "request_id"],
		"additionalProperties": false
	}`)
	getInputSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"request_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "The request_id with which it was opened."}
		},
		"required": ["request_id"],
		"additionalProperties": false
	}`)
	ticketSchema = json.RawMessage(`{
		"type": "object",
		"properties": {
			"ticket_id": {"type": "string", "pattern": "^INC-[0-9]{4,}$"},
			"status": {"type": "string", "enum": ["open"]},
			"created_at": {"type": "string", "format": "date-time"},
			"title": {"type": "string"},
			"severity": {"type": "string", "enum": ["P1", "P2", "P3", "P4"]},
			"evidence_ids": {"type": "array", "items": {"type": "string"}},
			"request_id": {"type": "string"}
		},
		"required": ["ticket_id", "status", "created_at", "title", "severity", "evidence_ids", "request_id"],
		"additionalProperties": false
	}`)
)
