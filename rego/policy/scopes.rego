# METADATA
# title: Scopes that a subject holds, and scopes that a tool needs
# description: |
#   A tool's record lists the scopes that a caller needs: all of them. A scope
#   may be a template over the call's arguments, such as
#   "incident:create:{severity}": calling with severity "P1" needs
#   "incident:create:p1". Argument values are lower-cased, and a value must be a
#   string without a colon, so that it can never name a scope of another shape.
#
#   Before there is a call there are no arguments. Then a template is met by any
#   value: who holds "incident:create:p3" may know of the tool, and finds out on
#   calling that it does not get them a P1.
# scope: package
package mcp.scopes

# Without arguments (visible): some of the scopes is not held in any form.
lacking(scopes) if {
	some scope in scopes
	not held(scope)
}

held(scope) if scope in input.subject.properties.scopes

held(scope) if {
	contains(scope, "{")
	pattern := regex.replace(glob.quote_meta(scope), `\\\{[^{}]+\\\}`, "?*")
	some candidate in input.subject.properties.scopes
	glob.match(pattern, [":"], candidate)
}

# With arguments (decision): some scope that this very call needs is not held.
missing if {
	some scope in input.resource.properties.scopes
	not granted(scope)
}

granted(scope) if {
	not contains(scope, "{")
	scope in input.subject.properties.scopes
}

granted(scope) if {
	contains(scope, "{")
	filled(scope) in input.subject.properties.scopes
}

# The template with the arguments' values in it. It is undefined, and the scope
# so not granted, while an argument is absent or of the wrong kind.
filled(scope) := name if {
	values := {placeholder: lower(argument) |
		some placeholder in regex.find_n(`\{[^{}]+\}`, scope, -1)
		argument := input.resource.arguments[trim(placeholder, "{}")]
		is_string(argument)
		regex.match(`^[^:{}]+$`, argument)
	}
	name := strings.replace_n(values, scope)
	not contains(name, "{")
}
