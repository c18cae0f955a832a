package findings

import (
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// argument is one property at the top of an input schema.
type argument struct {
	name  string
	words []string
	at    string
	raw   []byte
}

// arguments looks at what a caller may say.
func (in *inspection) arguments(at string, schema []byte) {
	if protocol.Kind(schema) != '{' {
		return
	}
	properties, _ := protocol.Member(schema, "properties")
	if protocol.Kind(properties) != '{' {
		properties = []byte("{}")
	}
	var all []argument
	for name, value := range protocol.Members(properties) {
		all = append(all, argument{string(name), split(string(name)), at + "/properties/" + token(string(name)), value})
	}
	for _, a := range all {
		in.argument(a)
		in.within(a.at, a.raw, 0)
	}
	in.catchAll(all)
	in.shell(all)
	if e := Effect(in.name); (e == gateway.Write || e == gateway.Destructive) && !slices.ContainsFunc(all, carriesKey) {
		in.add(WriteWithoutKey, at, in.name)
	}
}

// within looks at the members of arguments: of objects, of the elements of lists, of each
// alternative.
func (in *inspection) within(at string, schema []byte, depth int) {
	const deepest = 8
	if protocol.Kind(schema) != '{' || depth > deepest {
		return
	}
	for name, value := range protocol.Members(schema) {
		below := at + "/" + token(string(name))
		switch {
		case string(name) == "properties" && protocol.Kind(value) == '{':
			for name, raw := range protocol.Members(value) {
				a := argument{string(name), split(string(name)), below + "/" + token(string(name)), raw}
				in.argument(a)
				in.within(a.at, raw, depth+1)
			}
		case slices.Contains([]string{"anyOf", "oneOf", "allOf"}, string(name)) && protocol.Kind(value) == '[':
			i := 0
			for one := range protocol.Elements(value) {
				in.within(below+"/"+strconv.Itoa(i), one, depth+1)
				i++
			}
		case string(name) == "items", string(name) == "additionalProperties":
			in.within(below, value, depth+1)
		}
	}
}

// argument looks at one argument by itself.
func (in *inspection) argument(a argument) {
	switch {
	case hasAny(a.words, "approved", "approve", "approval", "confirm", "confirmed", "confirmation", "force", "consent", "consented",
		"authorized", "authorised", "acknowledged", "acknowledge") || pairs(a.words, "i understand", "user agreed", "user ok", "skip check", "skip checks", "yes really"):
		in.add(ApprovalParameter, a.at, a.name)
	case pairs(a.words, "user id", "account id", "tenant id", "as user", "behalf of", "run as", "org id", "act as", "acting as", "acting user", "login as", "sudo user",
		"effective user", "user email", "user name", "owner id", "requested by", "approved by") || hasAny(a.words, "impersonate", "impersonated", "impersonation") ||
		slices.Contains([]string{"user", "role", "tenant", "username", "actor", "principal", "uid", "userid", "accountid", "tenantid", "onbehalfof"}, strings.ToLower(a.name)):
		in.add(IdentityParameter, a.at, a.name)
	}
	if in.path(a) {
		in.add(RawPath, a.at, a.name)
	}
	if !is(a.raw, "string") || bounded(a.raw) {
		return
	}
	switch last := a.words[max(0, len(a.words)-1):]; {
	case hasAny(last, "mode", "action", "operation", "op", "command") && !hasAny(a.words, "line"):
		in.add(ModeSwitch, a.at, a.name)
	}
	if _, ok := protocol.Member(a.raw, "maxLength"); !ok {
		in.add(Unbounded, a.at, a.name)
	}
}

// path says whether an argument is a path, or a list of such, of no shape. What is moved or
// copied, and where to, is one where the tool is about files.
func (in *inspection) path(a argument) bool {
	text := a.raw
	if is(a.raw, "array") {
		text, _ = protocol.Member(a.raw, "items")
	}
	if !is(text, "string") || bounded(text) {
		return false
	}
	last := a.words[max(0, len(a.words)-1):]
	if hasAny(last, "path", "paths", "filepath", "filepaths", "file", "files", "filename", "filenames", "directory", "directories", "dir", "dirs",
		"folder", "folders") {
		return true
	}
	files := hasAny(split(in.name), "file", "files", "directory", "directories", "folder", "folders", "path", "dir")
	return files && hasAny(last, "source", "sources", "src", "destination", "destinations", "dest", "dst", "target", "targets", "from", "to")
}

// catchAll looks for a tool that does whatever it is told: one argument says what,
// another holds anything.
func (in *inspection) catchAll(all []argument) {
	var what *argument
	for i := range all {
		if len(all[i].words) == 1 && hasAny(all[i].words, "action", "operation", "method", "op", "function", "tool", "endpoint") {
			what = &all[i]
		}
	}
	for i := range all {
		a := &all[i]
		if what != nil && a != what && hasAny(a.words, "payload", "params", "parameters", "arguments", "args", "data", "body", "options", "input") && free(a.raw) {
			in.add(CatchAll, a.at, what.name+" and "+a.name)
		}
	}
}

// shell looks for arguments that are run.
func (in *inspection) shell(all []argument) {
	verb := hasAny(split(in.name), "exec", "execute", "run", "shell", "bash", "eval", "evaluate", "terminal", "cmd", "command", "script")
	for _, a := range all {
		if verb && is(a.raw, "string", "array") && hasAny(a.words, "command", "cmd", "script", "code", "shell", "bash", "expression", "function", "commands") {
			in.add(ShellExecution, a.at, a.name)
		}
	}
}

// output looks for what a result can be checked by.
func (in *inspection) output(raw []byte) {
	if schema, ok := protocol.Member(raw, "outputSchema"); !ok || protocol.Kind(schema) == 'n' {
		in.add(NoOutputSchema, "", "")
	}
}

// carriesKey says whether an argument could hold an idempotency key.
func carriesKey(a argument) bool {
	return hasAny(a.words, "idempotency", "dedupe", "deduplication", "nonce") || pairs(a.words, "request id", "client token", "external id", "client id", "reference id")
}

// is says whether a schema names one of these types.
func is(schema []byte, names ...string) bool {
	if protocol.Kind(schema) != '{' {
		return false
	}
	types, _ := protocol.Member(schema, "type")
	if protocol.Kind(types) == '[' {
		for t := range protocol.Elements(types) {
			if text, _ := protocol.Text(t); slices.Contains(names, text) {
				return true
			}
		}
		return false
	}
	text, _ := protocol.Text(types)
	return slices.Contains(names, text)
}

// bounded says whether the values of a text are fixed or have a shape.
func bounded(schema []byte) bool {
	for _, keyword := range [...]string{"enum", "const", "pattern", "format"} {
		if _, ok := protocol.Member(schema, keyword); ok {
			return true
		}
	}
	return false
}

// free says whether a schema takes objects of any shape, or anything at all.
func free(schema []byte) bool {
	if protocol.Kind(schema) != '{' {
		return true
	}
	if _, typed := protocol.Member(schema, "type"); !typed {
		for _, keyword := range [...]string{"$ref", "anyOf", "oneOf", "allOf", "enum", "const"} {
			if _, ok := protocol.Member(schema, keyword); ok {
				return false
			}
		}
		return true
	}
	properties, described := protocol.Member(schema, "properties")
	return is(schema, "object") && (!described || len(slices.Collect(keys(properties))) == 0)
}

func keys(object []byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		if protocol.Kind(object) != '{' {
			return
		}
		for name := range protocol.Members(object) {
			if !yield(string(name)) {
				return
			}
		}
	}
}

func hasAny(words []string, wanted ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(wanted, w) })
}

// pairs says whether two words stand beside one another, "a b" each.
func pairs(words []string, wanted ...string) bool {
	for i := 0; i+1 < len(words); i++ {
		if slices.Contains(wanted, words[i]+" "+words[i+1]) {
			return true
		}
	}
	return false
}
