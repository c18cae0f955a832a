package whom

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/views"
)

// rules of the policy that is asked: item 0 is everybody's, 1 is of staff, 2 hidden from
// contractors, 3 of those who are both on-call and senior, 4 of a scope that no review
// names, 5 of the tenant acme's, 6 of nobody.
func sees(p *gateway.Principal) []bool {
	in := slices.Contains[[]string]
	return []bool{
		true, in(p.Groups, "staff"), !in(p.Groups, "contractor"), in(p.Groups, "on-call") && in(p.Groups, "senior"),
		in(p.Scopes, "audit:all"), p.Tenant == "acme", false,
	}
}

func TestRoles(t *testing.T) {
	stands := []string{"acme", "audit:all", "contractor", "not_visible", "on-call", "senior", "staff"}
	asked := 0
	policy := Policy{
		Literals: func(string) []string { return stands },
		View: func(p *gateway.Principal) (views.View, error) {
			asked++
			return views.New(1, "p", sees(p)), nil
		},
		Over: func(part string, n int) { t.Errorf("%d of %s", n, part) },
	}
	got, err := Roles([]Class{
		{Name: "i[notes:read]", Of: gateway.Principal{Issuer: "i"}},
		{Name: "i[*]", Of: gateway.Principal{Issuer: "i", Scopes: []string{"notes:read"}}, widest: true, anyTenant: true},
	}, policy)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.Name)
	}
	want := []string{
		"i/acme[*]",
		"i[*;scopes=audit:all]", "i[*;groups=contractor]", "i[*;groups=staff]", "i[*;groups=on-call+senior]",
		"i/acme[*;scopes=audit:all]", "i/acme[*;groups=contractor]", "i/acme[*;groups=staff]", "i/acme[*;groups=on-call+senior]",
	}
	if !slices.Equal(names, want) {
		t.Errorf("classes\n%s, want\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range got {
		if strings.Contains(c.Name, "groups=") && !slices.Contains(c.Of.Scopes, "audit:all") {
			t.Errorf("%s holds %q: not every scope", c.Name, c.Of.Scopes)
		}
		if strings.Contains(c.Name, "senior") && !slices.Equal(c.Of.Groups, []string{"on-call", "senior"}) {
			t.Errorf("%s is in %q", c.Name, c.Of.Groups)
		}
	}

	// A policy that looks at none of it is asked nothing more.
	asked, policy.Literals = 0, func(string) []string { return nil }
	if got, err := Roles([]Class{{Name: "i[*]", widest: true}}, policy); err != nil || got != nil || asked != 0 {
		t.Errorf("%v, %v after %d questions", got, err, asked)
	}
}

// More than can be tried is said.
func TestTooManyTexts(t *testing.T) {
	var told []string
	policy := Policy{
		Literals: func(string) []string { return make([]string, most+1) },
		View:     func(p *gateway.Principal) (views.View, error) { return views.New(1, "p", sees(p)), nil },
		Over:     func(part string, _ int) { told = append(told, part) },
	}
	if _, err := Roles([]Class{{Name: "i[*]", widest: true}}, policy); err != nil || !slices.Equal(told, []string{"scopes", "groups"}) {
		t.Errorf("told %q, %v", told, err)
	}
}
