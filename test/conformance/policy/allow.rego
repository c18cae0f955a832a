# METADATA
# title: Everything passes
# description: |
#   For the conformance suite alone, which tests what the gateway does to
#   messages and not whom it lets send them.
# scope: package
package mcp.gateway

visible contains id if some id, _ in input.resources

decision := {"effect": "allow", "reasons": []}
