# METADATA
# title: Common rules in one line
# description: |
#   A policy that refers to data.mcp.lib has it without bringing it along:
#
#     package mcp.gateway
#     import data.mcp.lib
#
#     visible := lib.entitled
#     allow if lib.permitted
#     deny contains "scope_missing" if lib.scope_missing
#     ask contains "write" if lib.writes
#     obligations contains lib.approval_by("leads") if lib.writes
#
#   `mcp-gateway policy show --lib` prints it.
#
# scope: package
package mcp.lib

import data.mcp.scopes

# visible: the ids of what is reviewed, for those who hold every scope of it.
entitled contains id if {
	some id, facts in input.resources
	facts.state == "approved"
	not scopes.lacking(facts.scopes)
}

# Those that a reviewer marked so are there for everyone too.
entitled contains id if {
	some id, facts in input.resources
	facts.state == "approved"
	facts.step_up == true
}

# decision: the call is of something reviewed, and the caller holds every scope
# that it needs with these arguments.
permitted if {
	input.resource.properties.state == "approved"
	not scopes.missing
}

# decision: a scope that this very call needs is not held. As a denial by this very
# name, so that whoever came by a token is told which scopes to ask for:
#   deny contains "scope_missing" if lib.scope_missing
scope_missing if scopes.missing

reads if input.resource.properties.side_effect == "read"

# Whatever is no read: what destroys is among it, so that a rule about writes leaves
# nothing worse out.
writes if not reads

# Of what writes, that which can destroy: whatever is neither a read nor a mere write.
destroys if not input.resource.properties.side_effect in {"read", "write"}

# Who calls.
holds(scope) if scope in input.subject.properties.scopes

in_group(group) if group in input.subject.properties.groups

of_tenant(tenant) if input.subject.properties.tenant == tenant

# What is called, by the upstream's id and its own name for the tool.
of_upstream(id) if input.resource.properties.upstream == id

tool(upstream, name) if {
	input.resource.properties.upstream == upstream
	input.resource.properties.name == name
}

# The finding is on the definition.
found(code) if {
	some finding in input.resource.properties.findings
	finding.code == code
}

# More calls than so many in the last hour, by this caller.
calls_over(n) if input.context.history.calls_hour >= n

# Between two hours of the day, in UTC: hours("08", "18").
hours(first, last) if {
	hour := substring(input.context.time, 11, 2)
	hour >= first
	hour < last
}

# Obligations.
mask_arguments(paths) := {"type": "mask_arguments", "paths": paths}

mask_result(paths) := {"type": "mask_result", "paths": paths}

result_bytes(max) := {"type": "result_bytes", "max": max}

approval := {"type": "approval"}

approval_by(group) := {"type": "approval", "groups": [group]}

own_consent := {"type": "approval", "self": true}

idempotency_key := {"type": "idempotency_key"}

rate_class(class) := {"type": "rate_class", "class": class}

label(code) := {"type": "label", "label": code}

step_up(needed) := {"type": "step_up", "scopes": needed}

timeout(seconds) := {"type": "timeout", "seconds": seconds}

fresh_authentication(seconds) := {"type": "fresh_authentication", "seconds": seconds}
