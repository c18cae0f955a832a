package auth

import (
	"encoding/json"
	"slices"
)

// MetadataPath is where the metadata of protected resources lie: before the path
// of the endpoint (RFC 9728 section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// EndpointPath is the path of the endpoint for all upstreams; of one upstream it is
// followed by a slash and its id.
const EndpointPath = "/mcp"

func pathOf(endpoint string) string {
	if endpoint == "" {
		return EndpointPath
	}
	return EndpointPath + "/" + endpoint
}

// resource is the identifier of an endpoint: the URL by which hosts reach it.
func (a *Authenticator) resource(endpoint string) string { return a.url + pathOf(endpoint) }

func (a *Authenticator) metadataURL(endpoint string) string {
	return a.url + MetadataPath + pathOf(endpoint)
}

// Metadata returns the protected resource metadata of an endpoint (RFC 9728
// section 2), which is there for everybody; nil where no issuer is trusted. The
// scopes are those of the configuration: tools may need others, and who may not
// see a tool does not learn of it here.
func (a *Authenticator) Metadata(endpoint string) []byte {
	if len(a.issuers) == 0 {
		return nil
	}
	document := struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{Resource: a.resource(endpoint), Scopes: a.scopes, Methods: []string{"header"}, Name: "mcp-gateway"}
	for url := range a.issuers {
		document.Servers = append(document.Servers, url)
	}
	slices.Sort(document.Servers)
	text, err := json.Marshal(document)
	if err != nil {
		return nil // texts only: cannot fail
	}
	return text
}
