# The simple form of a policy: an author writes `allow`, and codes into `deny`
# and `ask`, and no `decision`. This module is then compiled beside them and
# makes the decision: a deny outweighs an ask, an ask outweighs an allow, and
# without an allow there is no decision, which the gateway takes as a denial.
package mcp.gateway

decision := {"effect": "deny", "reasons": deny} if {
	count(deny) > 0
} else := {"effect": "ask", "reasons": ask} if {
	allow == true
	count(ask) > 0
} else := {"effect": "allow", "reasons": []} if {
	allow == true
}

# What an author leaves out exists here and adds nothing.
allow if false

deny contains "" if false

ask contains "" if false
