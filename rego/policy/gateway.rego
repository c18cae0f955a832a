package mcp.gateway

import data.mcp.scopes

visible contains id if {
	some id, facts in input.resources
	facts.state == "approved"
	every scope in facts.scopes {
		scopes.offered(scope)
	}
}

decision := {"effect": "deny", "reasons": objections} if {
	count(objections) > 0
} else := {"effect": "ask", "reasons": doubts} if {
	count(doubts) > 0
} else := {"effect": "allow", "reasons": []} if {
	harmless
}

objections contains "not_reviewed" if input.resource.properties.state != "approved"

objections contains "scope_missing" if {
	some scope in input.resource.properties.scopes
	not scopes.granted(scope)
}

doubts contains "destructive" if not input.resource.properties.side_effect in {"read", "write"}

doubts contains "irreversible_write" if {
	input.resource.properties.side_effect == "write"
	not input.resource.properties.reversible
}

doubts contains "outbound_write" if {
	input.resource.properties.side_effect == "write"
	input.resource.properties.outbound
}

harmless if input.resource.properties.side_effect == "read"

harmless if {
	input.resource.properties.side_effect == "write"
	input.resource.properties.reversible == true
	input.resource.properties.outbound == false
}
