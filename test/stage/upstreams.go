package stage

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"mcp-gateway/gateway"
)

// Upstream is one upstream of a gateway on a stage.
type Upstream struct {
	ID       string
	settings string // as YAML
	unmet    bool
}

// With adds settings in YAML, such as "timeout: 300ms".
func (u Upstream) With(settings string) Upstream {
	u.settings += "\n" + settings
	return u
}

// Bearer gives an upstream over HTTP a credential of the gateway's own, by reference.
func (u Upstream) Bearer(reference string) Upstream {
	return u.Credential(`{bearer: "` + reference + `"}`)
}

// Credential gives an upstream over HTTP a credential, in YAML.
func (u Upstream) Credential(credential string) Upstream {
	u.settings = strings.Replace(u.settings, "}", ", credential: "+credential+"}", 1)
	return u
}

// Unmet marks an upstream that can't be met: opening does not wait for it.
func (u Upstream) Unmet() Upstream {
	u.unmet = true
	return u
}

// Confined adds what a process may reach, such as "{network: none}".
func (u Upstream) Confined(settings string) Upstream {
	u.settings = strings.Replace(u.settings, "stdio: {", "stdio: {confine: "+settings+", ", 1)
	return u
}

// At is an upstream over HTTP, wherever it is.
func At(id, url string) Upstream { return Upstream{ID: id, settings: `http: {url: "` + url + `"}`} }

// Served is an upstream over HTTP that lives as long as the test.
func Served(t testing.TB, id string, h http.Handler) Upstream {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return At(id, server.URL+"/mcp")
}

// Stdio is an upstream over stdio with those settings, in YAML.
func Stdio(id, settings string) Upstream { return Upstream{ID: id, settings: settings} }

// Process is an upstream over stdio: this test binary in a role of Main.
func Process(id, role string, args ...string) Upstream {
	self, err := os.Executable()
	if err != nil {
		panic(err) // the test binary was started from somewhere
	}
	command := append([]string{self}, args...)
	return Upstream{ID: id, settings: `stdio: {command: ["` + strings.Join(command, `", "`) + `"], pass_env: [PATH], env: {` + RoleVar + `: "` + role + `"}}`}
}

// Incident is the incident example, with its own flags.
func Incident(id string, args ...string) Upstream { return Process(id, incidentRole, args...) }

// ReviewIncident is what its own exposure.yaml says of the incident example.
func ReviewIncident(id gateway.ItemID) string {
	switch id.Name {
	case "get_service_status", "list_recent_deployments":
		return Read("service:read")
	case "create_incident_ticket":
		return strings.Replace(Outbound("incident:create:{severity}"), "reversible: yes", "reversible: no", 1)
	case "get_incident_ticket":
		return Read("incident:read")
	default:
		return ""
	}
}
