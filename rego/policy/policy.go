package policy

import "embed"

//go:embed *.rego
var files embed.FS

// Shipped is the file of the policy that decides where none is named.
const Shipped = "gateway.rego"

// Files are the shipped policy with its tests.
func Files() embed.FS { return files }

// Module is one package of the library.
type Module struct {
	Package string // such as data.mcp.lib
	Text    string
}

// Library returns the packages that any policy may refer to without bringing
// them along.
func Library() []Module {
	var out []Module
	for _, m := range [...]Module{{"data.mcp.lib", "lib.rego"}, {"data.mcp.scopes", "scopes.rego"}} {
		text, err := files.ReadFile(m.Text)
		if err != nil {
			panic("policy: " + err.Error()) // it was embedded
		}
		out = append(out, Module{m.Package, string(text)})
	}
	return out
}

// Packages are the paths of the library's packages.
func Packages() []string {
	var out []string
	for _, m := range Library() {
		out = append(out, m.Package)
	}
	return out
}
