package main

// Set is a frozen set of server scenarios, run at one revision.
type Set struct {
	Name string
	Args []string // how the suite is told
}

// Column is one run of a set against one upstream through the gateway. Its
// name is the set's and what stands behind the gateway.
type Column struct {
	Name, Set string
	Title     string // heads the column
	Upstream  string // id of the gateway's upstream
}

// The upstreams of the gateway. Both eras answer at one URL of the first; the
// gateway meets it in the modern one.
const (
	dualUpstream   = "everything"
	legacyUpstream = "legacy"
)

func sets() []Set {
	return []Set{
		{"2026-07-28", []string{"--requirements", "2026-07-28"}},
		{"2025-11-25", []string{"--requirements", "2025-11-25"}},
		{"2025-06-18", []string{"--suite", "all", "--spec-version", "2025-06-18"}},
	}
}

// columns are all runs through the gateway: for each era of hosts an upstream
// of the same era first, then one of the other.
func columns() []Column {
	return []Column{
		{"2026-07-28 over modern", "2026-07-28", "over modern", dualUpstream},
		{"2026-07-28 over legacy", "2026-07-28", "over legacy", legacyUpstream},
		{"2025-11-25 over legacy", "2025-11-25", "over legacy", legacyUpstream},
		{"2025-11-25 over modern", "2025-11-25", "over modern", dualUpstream},
		{"2025-06-18 over legacy", "2025-06-18", "over legacy", legacyUpstream},
		{"2025-06-18 over modern", "2025-06-18", "over modern", dualUpstream},
		{clientSet, clientSet, "through", ""},
	}
}

// columnNames are the names that expected.yaml may use.
func columnNames() []string {
	names := []string{"direct " + clientSet}
	for _, c := range columns() {
		names = append(names, c.Name)
	}
	return names
}

// clientSet names the client tests, of both eras.
const clientSet = "client"

// The tests of client credentials.
const (
	credentialsJWT   = "auth/client-credentials-jwt"
	credentialsBasic = "auth/client-credentials-basic"
)

// clientScenario is one client test and the revision that it is run at.
type clientScenario struct{ name, revision string }

// clientScenarios are those that test a client's protocol. Of those of
// authorization two fit: the gateway gets its own tokens at upstreams by client
// credentials. The others test a client that sends a person to an authorization
// server; expected.yaml names them.
func clientScenarios() []clientScenario {
	const modern, legacy = "2026-07-28", "2025-11-25"
	return []clientScenario{
		{"tools_call", modern},
		{"request-metadata", modern},
		{"sep-2322-client-request-state", modern},
		{"http-standard-headers", modern},
		{"http-custom-headers", modern},
		{"http-invalid-tool-headers", modern},
		{"json-schema-ref-no-deref", modern},
		{"json-schema-2020-12-preservation", modern},
		{credentialsJWT, modern},
		{credentialsBasic, modern},
		{"tools_call", legacy},
		{"sse-retry", legacy},
	}
}
