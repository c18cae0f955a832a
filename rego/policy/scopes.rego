package mcp.scopes

held contains scope if some scope in input.subject.properties.scopes

offered(scope) if scope in held

offered(scope) if {
	contains(scope, "{")
	quoted := regex.replace(scope, `[\\.+*?()|\[\]{}^$]`, `\$0`)
	pattern := regex.replace(quoted, `\\\{[^{}]+\\\}`, `[^:]+`)
	some candidate in held
	regex.match(sprintf("^%s$", [pattern]), candidate)
}

granted(scope) if {
	not contains(scope, "{")
	scope in held
}

granted(scope) if {
	contains(scope, "{")
	filled(scope) in held
}

filled(scope) := strings.replace_n(values, scope) if {
	placeholders := regex.find_n(`\{[^{}]+\}`, scope, -1)
	values := {placeholder: value |
		some placeholder in placeholders
		argument := input.resource.arguments[trim(placeholder, "{}")]
		is_string(argument)
		value := lower(argument)
		regex.match(`^[^:{}]+$`, value)
	}
	every placeholder in placeholders {
		values[placeholder]
	}
}
