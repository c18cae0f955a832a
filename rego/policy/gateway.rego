# METADATA
# title: What the gateway lets through
# description: |
#   The shipped policy. It has the two entry points that the gateway asks for:
#
#   - visible: the ids of those tools, out of input.resources, that the subject
#     may know of. It sees no arguments, no time and no call.
#   - decision: what happens to one call, as {"effect": …, "reasons": […]}.
#     The effect is "allow", "ask" (a human decides) or "deny". Whoever is
#     asked or denied is given the reasons: stable codes in lower case, at least
#     one of them. What is asked says who may approve it, as obligations.
#
#   A call goes ahead only if the tool is visible and the decision is "allow".
#   No answer, two answers, an error, an unknown member and running out of time
#   all count as a denial; so does a failing built-in, which elsewhere in Rego
#   is merely undefined. Nothing needs a `default` to be safe.
#
#   Every field of the input is described in docs/policy-input.schema.json, which
#   `policy schema` prints. A field that is not there fails when the policy
#   is loaded. What you read about a tool was recorded by a reviewer; what its
#   upstream says of itself is not in the input at all.
# scope: package
package mcp.gateway

import data.mcp.scopes

# A tool is visible once it is reviewed, to those who hold every scope it names.
# A tool that names none is there for everyone whom the gateway has identified.
visible contains id if {
	some id, facts in input.resources
	facts.state == "approved"
	not scopes.lacking(facts.scopes)
}

# What a reviewer marked so is there for everyone too: who calls it without its
# scopes learns which ones to ask for.
visible contains id if {
	some id, facts in input.resources
	facts.state == "approved"
	facts.step_up == true
}

# The branches are tried from the top. The first is the common case, and is
# answered without collecting any reason.
decision := {"effect": "allow", "reasons": []} if {
	entitled
	harmless
} else := {"effect": "ask", "reasons": concerns, "obligations": approvals} if {
	entitled
} else := {"effect": "deny", "reasons": objections}

entitled if {
	input.resource.properties.state == "approved"
	not scopes.missing
}

# What may go ahead unasked: reads, and writes that can be taken back and that
# reach nobody outside. Each condition asks for the harmless value by name, so
# that a value which nobody thought of is not harmless.
harmless if input.resource.properties.side_effect == "read"

harmless if {
	input.resource.properties.side_effect == "write"
	input.resource.properties.reversible == true
	input.resource.properties.outbound == false
}

# Why a call is denied.
objections contains "not_reviewed" if input.resource.properties.state != "approved"

objections contains "scope_missing" if scopes.missing

# Who may approve. The caller's own consent is enough for a write; what destroys
# needs another person.
approvals contains {"type": "approval", "self": true} if input.resource.properties.side_effect == "write"

approvals contains {"type": "approval"} if input.resource.properties.side_effect != "write"

# Why a human is asked. Whatever is neither a read nor a write counts as
# destructive.
concerns contains "destructive" if not input.resource.properties.side_effect in {"read", "write"}

concerns contains "irreversible_write" if {
	input.resource.properties.side_effect == "write"
	input.resource.properties.reversible != true
}

concerns contains "outbound_write" if {
	input.resource.properties.side_effect == "write"
	input.resource.properties.outbound != false
}
