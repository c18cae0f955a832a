package whom

import (
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/views"
)

// most is how many texts of a policy are tried as what a principal may hold.
const most = 1000

// Policy is what is asked about classes.
type Policy struct {
	Literals func(part string) []string // texts that may be groups, scopes, tenant; nil = policy looks at none
	View     func(*gateway.Principal) (views.View, error)
	Over     func(part string, n int) // told of more texts than are tried
}

// part is one thing that principals hold and policies look at.
type part struct {
	name string
	with func(p gateway.Principal, words ...string) gateway.Principal
}

func parts() []part {
	return []part{
		{"scopes", func(p gateway.Principal, words ...string) gateway.Principal {
			p.Scopes = slices.Concat(p.Scopes, words)
			return p
		}},
		{"groups", func(p gateway.Principal, words ...string) gateway.Principal {
			p.Groups = slices.Concat(p.Groups, words)
			return p
		}},
	}
}

// Roles are the classes that policy tells from those given, by names that stand in it or
// in its data: each is tried as a scope and as a group of those who hold every scope that
// reviews name, and as a tenant where a token may name any. It is a class where they see
// something else for it; so are the fewest that together show what none of them does
// alone.
func Roles(classes []Class, policy Policy) ([]Class, error) {
	var all []Class
	for _, c := range classes {
		if !c.widest {
			continue
		}
		tenants, err := policy.tenants(c, classes)
		if err != nil {
			return nil, err
		}
		all = append(all, tenants...)
		for _, from := range append([]Class{c}, tenants...) {
			found, err := policy.holders(from)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// holders are the classes of those who hold more: scopes, and then groups beside them.
func (p *Policy) holders(from Class) (all []Class, err error) {
	for _, of := range parts() {
		found, widened, err := p.apart(from, of)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		from.Of = widened
	}
	return all, nil
}

func (p *Policy) words(name string) []string {
	all := p.Literals(name)
	if len(all) > most {
		p.Over(name, len(all))
		all = all[:most]
	}
	return all
}

// tenants are the classes of other tenants, which only policy names.
func (p *Policy) tenants(c Class, known []Class) ([]Class, error) {
	if !c.anyTenant {
		return nil, nil
	}
	before, err := p.View(&c.Of)
	if err != nil {
		return nil, err
	}
	var found []Class
	for _, word := range p.words("tenant") {
		other := c
		other.Of.Tenant, other.anyTenant = word, false
		other.Name = strings.TrimSuffix(c.Name, "[*]") + "/" + word + "[*]"
		v, err := p.View(&other.Of)
		if err != nil {
			return nil, err
		}
		if !v.Equal(before) && !slices.ContainsFunc(known, func(k Class) bool { return k.Name == other.Name }) {
			found = append(found, other)
		}
	}
	return found, nil
}

// apart are the classes of those who hold one thing more, and the class of those who hold
// all that shows more.
func (p *Policy) apart(from Class, of part) (found []Class, widened gateway.Principal, err error) {
	widened = from.Of
	words := p.words(of.name)
	if len(words) == 0 {
		return nil, widened, nil
	}
	before, err := p.View(&from.Of)
	if err != nil {
		return nil, widened, err
	}
	seen := []views.View{before}
	name := func(words ...string) string {
		return strings.TrimSuffix(from.Name, "]") + ";" + of.name + "=" + strings.Join(words, "+") + "]"
	}
	for _, word := range words {
		who := of.with(from.Of, word)
		v, err := p.View(&who)
		if err != nil {
			return nil, widened, err
		}
		if v.Equal(before) {
			continue
		}
		found, seen = append(found, Class{Name: name(word), Of: who}), append(seen, v)
		if v.Count() > before.Count() {
			widened = of.with(widened, word)
		}
	}
	together, err := p.together(from.Of, of, words, seen)
	if len(together) > 1 {
		found = append(found, Class{Name: name(together...), Of: of.with(from.Of, together...)})
		widened = of.with(widened, together...)
	}
	return found, widened, err
}

// together are the fewest words of those that show, all at once, something that nobody in
// seen sees: each is needed for it. Nil where nothing is.
func (p *Policy) together(from gateway.Principal, of part, words []string, seen []views.View) ([]string, error) {
	view := func(words []string) (views.View, error) {
		who := of.with(from, words...)
		return p.View(&who)
	}
	whole, err := view(words)
	if err != nil || !whole.Beyond(seen...) {
		return nil, err
	}
	left := words
	for _, word := range words {
		fewer := slices.DeleteFunc(slices.Clone(left), func(w string) bool { return w == word })
		v, err := view(fewer)
		if err != nil {
			return nil, err
		}
		if v.Beyond(seen...) {
			left = fewer
		}
	}
	return left, nil
}
