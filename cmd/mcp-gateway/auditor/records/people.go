package records

import (
	"context"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/shape"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/config/admins"
	"mcp-gateway/gateway"
)

// own is the issuer of principals whom the configuration itself names.
const own = "gateway"

// maxPeople bounds the pseudonyms that are tried for one name.
const maxPeople = 1 << 20

// keyless says what to do where no key is there that pseudonyms were made by.
const keyless = "collected journals have no keys, and the configuration's state has none either; ask with -c the configuration of a gateway " +
	"that wrote them, or name a pseudonym as events have it"

// Keyless is the wrong usage of asking by a value where no keys are.
func Keyless() error { return cli.Misused("cannot tell: %s", keyless) }

// knowStaff knows those who run the gateway: as events name who answered a ticket,
// settled an action or labelled a call.
func (a *Records) knowStaff(c *config.Config) {
	me := admins.Own()
	subjects := []string{me.Subject, c.Admin.Local.Subject}
	for i := range c.Admin.Keys {
		subjects = append(subjects, c.Admin.Keys[i].Member.Subject)
	}
	for _, s := range subjects {
		if s == "" || a.staff[s] != nil {
			continue
		}
		a.staff[s] = a.names.Pseudonyms(s)
		for _, name := range a.staff[s] {
			a.known[name] = s
		}
	}
}

// Person is whom flags mean.
type Person struct{ Principal, Subject, Issuer, Approver string }

// Narrow has a filter admit only what a person did, or what was done by an approver's
// word. A subject is looked for in clear
// first, unless an issuer is named. A name that is nobody's is wrong usage: no rows would
// read as "has done nothing".
func (a *Records) Narrow(ctx context.Context, f *audit.Filter, p Person) (err error) {
	if p != (Person{}) {
		if err := a.tellBorrowed(ctx); err != nil {
			return err
		}
	}
	if f.Approvers, err = a.People(ctx, p.Approver, ""); err != nil {
		return err
	}
	if p.Subject != "" && (p.Issuer == "" || p.Principal != "") {
		clear, err := a.Count(ctx, audit.Filter{Subject: audit.Label(p.Subject), Limit: 1}, []string{"subject"})
		switch {
		case err != nil:
			return err
		case len(clear) == 0 && p.Principal != "":
			return cli.Misused("--subject: no event names %q in clear", p.Subject)
		case len(clear) > 0 && p.Principal == "":
			return nil
		}
	}
	who := p.Principal
	if who == "" {
		who, f.Subject = p.Subject, ""
	}
	if who == "" && p.Issuer != "" {
		return cli.Misused("--issuer: name a subject of it by --subject")
	}
	f.People, err = a.People(ctx, who, p.Issuer)
	return err
}

// People returns how events name a person, by all tenants and clients: the
// pseudonym itself, that of the configured principal with this subject or key id and of
// those of this subject who run the gateway, each by every key that there was, or
// those of a whole identity, "issuer|subject" or gateway.Principal.ID. A subject alone
// is one of issuer, or of the gateway itself and any configured issuer where that is empty. No name is nobody
// in particular. A name that is nobody's is wrong usage.
func (a *Records) People(ctx context.Context, who, issuer string) ([]audit.Keyed, error) {
	if who == "" {
		return nil, nil
	}
	named, staff := a.of[who], a.staff[who]
	switch {
	case issuer == "" && shape.Keyed(who):
		return []audit.Keyed{audit.Keyed(who)}, nil
	case issuer == "" && len(named) == 1:
		return slices.Concat(named[0], staff), nil
	case issuer == "" && len(named) > 1:
		return nil, cli.Misused("%d configured principals are called %q; name the key id", len(named), who)
	case a.names == nil:
		return nil, cli.Misused("cannot resolve %q: %s", who, keyless)
	}
	groups, err := a.index.Count(ctx, audit.Filter{Limit: maxPeople}, []string{"principal", "tenant", "client"})
	if err != nil {
		return nil, err
	}
	var found []audit.Keyed
	for _, g := range groups {
		for _, id := range a.wholes(who, issuer, g.Values[1], g.Values[2]) {
			if pseudonym := audit.Keyed(g.Values[0]); a.is(pseudonym, id) {
				found = append(found, pseudonym)
				break
			}
		}
	}
	if issuer == "" {
		found = append(found, staff...)
	}
	if len(found) == 0 {
		return nil, cli.Misused("cannot resolve %q: no configured principal is called so, and no event is of such a person; "+
			"name them as events do (such as 0ef01bbc87eda9d7:…), or whole as 'ISSUER|SUBJECT'", who)
	}
	return found, nil
}

// is says whether a pseudonym is that of an identity, also by a key that was rotated.
func (a *Records) is(pseudonym audit.Keyed, id string) bool {
	return a.names.Contains(&audit.Event{Principal: pseudonym}, "", gateway.ItemID{}, []byte(id)) != ""
}

// wholes returns the identities, as gateway.Principal.ID gives them, that a name may
// mean in an event of this tenant and client.
func (a *Records) wholes(who, issuer, tenant, client string) []string {
	parts := split(who)
	var all []string
	add := func(issuer, subject, tenant, client string) {
		p := gateway.Principal{Issuer: issuer, Subject: subject, Tenant: tenant, Client: client}
		all = append(all, p.ID())
	}
	switch {
	case issuer != "":
		add(issuer, who, tenant, client)
	case len(parts) == 2:
		add(parts[0], parts[1], tenant, client)
	case len(parts) == 4 || len(parts) == 5 && parts[4] == "":
		add(parts[0], parts[1], parts[2], parts[3])
	case len(parts) == 1:
		add(own, who, tenant, client)
		for i := range a.config.Auth.Issuers {
			add(a.config.Auth.Issuers[i].URL, who, tenant, client)
		}
	}
	return all
}

// split is the reverse of gateway.Principal.ID: parts between bars, where a backslash
// takes the meaning of the next byte.
func split(id string) []string {
	parts, part := []string(nil), strings.Builder{}
	for i := 0; i < len(id); i++ {
		switch {
		case id[i] == '|':
			parts = append(parts, part.String())
			part.Reset()
			continue
		case id[i] == '\\' && i+1 < len(id):
			i++
		}
		part.WriteByte(id[i])
	}
	return append(parts, part.String())
}

// Actor names who did what a row tells: its principal, or of an act of those who run
// the gateway who it was and by which key.
func (a *Records) Actor(r *audit.Row) string { return By(a.Did(r)) }

// Did is Actor in its parts: who, and of those who run the gateway by which key.
func (a *Records) Did(r *audit.Row) (name, key string) {
	if !byStaff(r.Type) {
		return a.Who(r), ""
	}
	told, err := a.at(r.Position)
	if err != nil || told.Event.Approver == "" {
		return a.Who(r), "" // retention has removed it meanwhile, or a caller did it
	}
	name = a.Who(&audit.Row{Principal: told.Event.Approver})
	if told.Event.Principal == "" {
		key = string(told.Event.Client)
	}
	return name, key
}

// By says who did something by which key; "" is none.
func By(name, key string) string {
	if key == "" {
		return name
	}
	return name + " by key " + key
}

func byStaff(t audit.Type) bool {
	if t == audit.ApprovalUsed {
		return false // a caller did, by what somebody else had approved
	}
	of, _, _ := strings.Cut(string(t), ".")
	return of == "approval" || of == "admin" || of == "ledger" || t == audit.CallReviewed || t == audit.DetailRead
}

// Approver names who answered a ticket, settled an action or read a detail, with the id
// of the key by which they did; "" where nobody did.
func (a *Records) Approver(e *audit.Event) string {
	if e.Approver == "" {
		return ""
	}
	key := ""
	if e.Principal == "" {
		key = string(e.Client)
	}
	return By(a.Who(&audit.Row{Principal: e.Approver}), key)
}
