package mcp.gateway_test

import data.mcp.gateway

subject(scopes) := {
	"type": "identity",
	"id": "alice",
	"properties": {
		"issuer": "gateway",
		"tenant": "platform",
		"client": "ci",
		"scopes": scopes,
		"groups": [],
		"auth_method": "api_key",
	},
}

facts(changes) := object.union(
	{
		"upstream": "incident",
		"type": "tool",
		"name": "create_incident_ticket",
		"exposed_name": "incident__create_incident_ticket",
		"definition": "sha256-jcs1:00",
		"state": "approved",
		"side_effect": "write",
		"idempotent": "key",
		"reversible": true,
		"outbound": false,
		"open_world": true,
		"reads_private": true,
		"untrusted_content": true,
		"scopes": ["incident:create:{severity}"],
		"step_up": false,
		"owner": "payments-oncall",
		"findings": [],
	},
	changes,
)

call(scopes, changes, arguments) := {
	"subject": subject(scopes),
	"action": {"name": "tools/call"},
	"resource": {
		"type": "tool",
		"id": "incident/create_incident_ticket",
		"properties": facts(changes),
		"arguments": arguments,
	},
	"context": {"era": "modern", "revision": "2026-07-28", "transport": "http", "time": "2026-09-01T00:00:00Z"},
}

listing(scopes, resources) := {"subject": subject(scopes), "action": {"name": "list"}, "resources": resources}

own_consent := {{"type": "approval", "self": true}}

another := {{"type": "approval"}}

test_decision[note] if {
	some note, case in {
		"a contained, reversible write goes ahead": {
			"changes": {},
			"decision": {"effect": "allow", "reasons": []},
		},
		"a read goes ahead, whatever else is said of it": {
			"changes": {"side_effect": "read", "reversible": false, "outbound": true},
			"decision": {"effect": "allow", "reasons": []},
		},
		"an outbound write is asked about": {
			"changes": {"outbound": true},
			"decision": {"effect": "ask", "reasons": {"outbound_write"}, "obligations": own_consent},
		},
		"an irreversible write is asked about": {
			"changes": {"reversible": false},
			"decision": {"effect": "ask", "reasons": {"irreversible_write"}, "obligations": own_consent},
		},
		"every concern is named": {
			"changes": {"reversible": false, "outbound": true},
			"decision": {"effect": "ask", "reasons": {"irreversible_write", "outbound_write"}, "obligations": own_consent},
		},
		"a destructive tool is asked about": {
			"changes": {"side_effect": "destructive"},
			"decision": {"effect": "ask", "reasons": {"destructive"}, "obligations": another},
		},
		"an unknown side effect is destructive": {
			"changes": {"side_effect": "harmless"},
			"decision": {"effect": "ask", "reasons": {"destructive"}, "obligations": another},
		},
		"an unreviewed tool is denied": {
			"changes": {"state": "new"},
			"decision": {"effect": "deny", "reasons": {"not_reviewed"}},
		},
		"a missing scope is denied": {
			"changes": {"scopes": ["incident:admin"]},
			"decision": {"effect": "deny", "reasons": {"scope_missing"}},
		},
		"every objection is named": {
			"changes": {"state": "changed", "scopes": ["incident:admin"]},
			"decision": {"effect": "deny", "reasons": {"not_reviewed", "scope_missing"}},
		},
	}
	gateway.decision == case.decision with input as call(["incident:create:p1"], case.changes, {"severity": "P1"})
}

test_severity_without_scope_is_denied if {
	decision := gateway.decision with input as call(["incident:create:p3"], {}, {"severity": "P1"})
	decision == {"effect": "deny", "reasons": {"scope_missing"}}
}

test_visible_with_any_value_of_a_template if {
	gateway.visible == {"incident/a"} with input as listing(["incident:create:p3"], {
		"incident/a": facts({}),
		"incident/b": facts({"scopes": ["incident:admin"]}),
		"incident/c": facts({"state": "changed"}),
	})
}

test_visible_without_any_scope if {
	gateway.visible == {"incident/open"} with input as listing([], {
		"incident/a": facts({}),
		"incident/open": facts({"scopes": []}),
	})
}

test_visible_for_step_up if {
	gateway.visible == {"incident/a"} with input as listing([], {
		"incident/a": facts({"step_up": true}),
		"incident/b": facts({}),
		"incident/c": facts({"step_up": true, "state": "changed"}),
	})
}
