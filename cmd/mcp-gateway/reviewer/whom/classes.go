package whom

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
)

// Class is a kind of principals, by what they hold. Who they are is no part of it: rules
// that look at that are met by nobody here.
type Class struct {
	Name string
	Of   gateway.Principal

	widest    bool // of its issuer and tenant: it holds every scope that reviews name
	anyTenant bool // of one that no review names, where a token may name any
}

// template is an argument in a scope; any value of it stands for all.
var template = regexp.MustCompile(`\{[^}]*\}`)

// Of are, for each issuer and tenant, the holders of the scopes that one of the
// served items needs, and whoever holds every one of them: "login.example[notes:read]"
// and "login.example[*]", with a tenant "login.example/acme[notes:read]".
func Of(in *run.Inspection) []Class {
	sets, tenants, every := map[string][]string{}, map[string]bool{}, map[string]bool{}
	for _, item := range in.Registry.Snapshot().All() {
		var needs []string
		for _, scope := range item.Facts.Scopes {
			needs = append(needs, template.ReplaceAllString(scope, "any"))
			every[needs[len(needs)-1]] = true
		}
		slices.Sort(needs)
		if needs = slices.Compact(needs); len(needs) > 0 {
			sets[strings.Join(needs, ",")] = needs
		}
		for _, tenant := range item.Facts.Tenants {
			tenants[tenant] = true
		}
	}
	if len(every) > 0 {
		sets["*"] = slices.Sorted(maps.Keys(every))
	}
	var all []Class
	for i := range in.Config.Auth.Issuers {
		from := &in.Config.Auth.Issuers[i]
		of := []string{from.Tenant}
		if from.Claims.Tenant != "" { // any tenant may come: those that reviews name, and one that none does
			of = append(slices.Sorted(maps.Keys(tenants)), "")
		}
		for _, tenant := range of {
			for _, name := range slices.Sorted(maps.Keys(sets)) {
				all = append(all, Class{
					Name: host(from.URL) + strings.TrimSuffix("/"+tenant, "/") + "[" + name + "]",
					Of:   gateway.Principal{Issuer: from.URL, Tenant: tenant, Scopes: sets[name], Method: gateway.AuthOAuth},

					widest: name == "*", anyTenant: tenant == "" && from.Claims.Tenant != "",
				})
			}
		}
	}
	return all
}

// Named reads classes that a person describes: a name, a colon, and what such principals
// claim. Who they are is left out, as it is of other classes.
func Named(texts []string) ([]Class, error) {
	var all []Class
	for _, text := range texts {
		name, claims, ok := strings.Cut(text, ":")
		c := Class{Name: strings.TrimSpace(name), Of: gateway.Principal{Method: gateway.AuthOAuth}}
		if !ok || c.Name == "" {
			return nil, cli.Misused("--as wants \"NAME: claim=value …\", not %q", text)
		}
		for claim := range strings.FieldsSeq(claims) {
			key, value, _ := strings.Cut(claim, "=")
			switch key {
			case "issuer":
				c.Of.Issuer = value
			case "tenant":
				c.Of.Tenant = value
			case "client":
				c.Of.Client = value
			case "groups":
				c.Of.Groups = strings.Split(value, ",")
			case "scopes":
				c.Of.Scopes = strings.Split(value, ",")
			default:
				return nil, cli.Misused("--as: %q is none of issuer=, tenant=, client=, groups=, scopes=", claim)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

func host(issuer string) string {
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return issuer
}
