package mcp.lib_test

import data.mcp.lib

calling(changes) := object.union(
	{
		"subject": {"id": "alice", "properties": {"scopes": ["a:read"], "groups": ["oncall"], "tenant": "platform"}},
		"resource": {
			"properties": {
				"state": "approved", "side_effect": "read", "scopes": ["a:read"], "upstream": "up", "name": "tool",
				"findings": [{"code": "long_text", "severity": "info"}],
			},
			"arguments": {},
		},
		"context": {"time": "2026-09-01T09:30:00Z", "history": {"calls_hour": 10}},
	},
	changes,
)

properties(changes) := {"resource": {"properties": changes}}

test_entitled if {
	lib.entitled == {"up/a", "up/c"} with input as {
		"subject": {"properties": {"scopes": ["a:read"]}},
		"resources": {
			"up/a": {"state": "approved", "scopes": ["a:read"], "step_up": false},
			"up/b": {"state": "approved", "scopes": ["b:read"], "step_up": false},
			"up/c": {"state": "approved", "scopes": ["b:read"], "step_up": true},
			"up/d": {"state": "changed", "scopes": ["a:read"], "step_up": true},
		},
	}
}

test_permitted if lib.permitted with input as calling({})

test_not_permitted_unreviewed if not lib.permitted with input as calling(properties({"state": "new"}))

test_not_permitted_without_scope if not lib.permitted with input as calling(properties({"scopes": ["b"]}))

test_scope_missing if lib.scope_missing with input as calling(properties({"scopes": ["a:read", "b"]}))

test_no_scope_missing if not lib.scope_missing with input as calling({})

test_classes[class] if {
	some class, want in {
		"read": [true, false, false],
		"write": [false, true, false],
		"destructive": [false, true, true],
		"unheard of": [false, true, true],
	}
	classes == want with input as calling(properties({"side_effect": class}))
}

classes := [reads, writes, destroys]

default reads := false

reads if lib.reads

default writes := false

writes if lib.writes

default destroys := false

destroys if lib.destroys

test_who if {
	lib.holds("a:read") with input as calling({})
	not lib.holds("b:read") with input as calling({})
	lib.in_group("oncall") with input as calling({})
	not lib.in_group("leads") with input as calling({})
	lib.of_tenant("platform") with input as calling({})
	not lib.of_tenant("other") with input as calling({})
}

test_what if {
	lib.of_upstream("up") with input as calling({})
	not lib.of_upstream("down") with input as calling({})
	lib.tool("up", "tool") with input as calling({})
	not lib.tool("up", "other") with input as calling({})
	lib.found("long_text") with input as calling({})
	not lib.found("directive") with input as calling({})
}

test_when if {
	lib.hours("08", "18") with input as calling({})
	not lib.hours("10", "18") with input as calling({})
	not lib.hours("00", "09") with input as calling({})
	lib.calls_over(10) with input as calling({})
	not lib.calls_over(11) with input as calling({})
}

test_obligations if {
	lib.mask_arguments(["/a"]) == {"type": "mask_arguments", "paths": ["/a"]}
	lib.mask_result(["/a"]) == {"type": "mask_result", "paths": ["/a"]}
	lib.result_bytes(10) == {"type": "result_bytes", "max": 10}
	lib.approval == {"type": "approval"}
	lib.approval_by("leads") == {"type": "approval", "groups": ["leads"]}
	lib.own_consent == {"type": "approval", "self": true}
	lib.idempotency_key == {"type": "idempotency_key"}
	lib.rate_class("slow") == {"type": "rate_class", "class": "slow"}
	lib.label("pii") == {"type": "label", "label": "pii"}
	lib.step_up(["a"]) == {"type": "step_up", "scopes": ["a"]}
	lib.timeout(5) == {"type": "timeout", "seconds": 5}
	lib.fresh_authentication(60) == {"type": "fresh_authentication", "seconds": 60}
}
