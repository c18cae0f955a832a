package mcp.scopes_test

import data.mcp.scopes

holding(names) := {"subject": {"properties": {"scopes": names}}}

calling(names, arguments) := {
	"subject": {"properties": {"scopes": names}},
	"resource": {"arguments": arguments},
}

test_held[note] if {
	some note, case in {
		"the scope itself": {"scope": "a:b", "names": ["x", "a:b"], "held": true},
		"another scope": {"scope": "a:b", "names": ["a:c"], "held": false},
		"a longer scope": {"scope": "a:b", "names": ["a:b:c"], "held": false},
		"nothing": {"scope": "a:b", "names": [], "held": false},
		"any value": {"scope": "a:{x}", "names": ["a:p3"], "held": true},
		"a value between": {"scope": "a:{x}:read", "names": ["a:p3:read"], "held": true},
		"the wrong suffix": {"scope": "a:{x}:read", "names": ["a:p3:write"], "held": false},
		"no value": {"scope": "a:{x}", "names": ["a:"], "held": false},
		"two values": {"scope": "a:{x}:{y}", "names": ["a:1:2"], "held": true},
		"one value of two": {"scope": "a:{x}:{y}", "names": ["a:1"], "held": false},
		"a value with a colon": {"scope": "a:{x}", "names": ["a:p3:extra"], "held": false},
		"a star means itself": {"scope": "a:*:{x}", "names": ["a:b:p3"], "held": false},
		"brackets mean themselves": {"scope": "[ab]:{x}", "names": ["a:p3"], "held": false},
		"a dot means itself": {"scope": "a.b:{x}", "names": ["axb:p3"], "held": false},
	}
	answer(case.scope, case.names) == case.held
}

default answer(_, _) := false

answer(scope, names) if scopes.held(scope) with input as holding(names)

test_granted[note] if {
	some note, case in {
		"the value": {"scope": "a:{x}", "names": ["a:p1"], "arguments": {"x": "P1"}, "granted": true},
		"another value": {"scope": "a:{x}", "names": ["a:p3"], "arguments": {"x": "P1"}, "granted": false},
		"no argument": {"scope": "a:{x}", "names": ["a:p1"], "arguments": {}, "granted": false},
		"a number": {"scope": "a:{x}", "names": ["a:1"], "arguments": {"x": 1}, "granted": false},
		"null": {"scope": "a:{x}", "names": ["a:null"], "arguments": {"x": null}, "granted": false},
		"an empty value": {"scope": "a:{x}", "names": ["a:"], "arguments": {"x": ""}, "granted": false},
		"a colon in the value": {"scope": "a:{x}", "names": ["a:b:c"], "arguments": {"x": "b:c"}, "granted": false},
		"the placeholder as value": {"scope": "a:{x}", "names": ["a:{x}"], "arguments": {"x": "{x}"}, "granted": false},
		"two values": {"scope": "{x}:{y}", "names": ["1:2"], "arguments": {"x": "1", "y": "2"}, "granted": true},
		"one value of two": {"scope": "{x}:{y}", "names": ["1:2"], "arguments": {"x": "1"}, "granted": false},
		"the template held as it stands": {"scope": "a:{x}", "names": ["a:{x}"], "arguments": {"x": "p1"}, "granted": false},
		"no template": {"scope": "a", "names": ["a"], "arguments": {}, "granted": true},
		"an unclosed brace": {"scope": "a:{x", "names": ["a:{x"], "arguments": {}, "granted": false},
	}
	decided(case.scope, case.names, case.arguments) == case.granted
}

default decided(_, _, _) := false

decided(scope, names, arguments) if scopes.granted(scope) with input as calling(names, arguments)
