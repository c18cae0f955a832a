package check

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// withheld are the built-ins that a policy may not call, beside all that OPA
// itself marks as nondeterministic: they read the clock unseen, sign with keys
// that have no place in a policy, or compile policy at run time.
var withheld = []string{
	"crypto.x509.parse_and_verify_certificates",
	"crypto.x509.parse_and_verify_certificates_with_options",
	"io.jwt.decode_verify",
	"net.lookup_ip_addr",
	"http.send",
	"opa.runtime",
	"providers.aws.sign_req",
	"rego.parse_module",
	"time.now_ns",
	"trace",
}

// Capabilities returns what a policy may use: OPA's own list without network,
// process, clock and randomness, and with no host that a schema reference may
// be fetched from. `opa check --capabilities` takes its JSON form.
func Capabilities() *ast.Capabilities {
	c := ast.CapabilitiesForThisVersion()
	c.Builtins = slices.DeleteFunc(slices.Clone(c.Builtins), func(b *ast.Builtin) bool {
		return b.Nondeterministic || slices.Contains(withheld, b.Name)
	})
	c.AllowNet = []string{}
	return c
}
