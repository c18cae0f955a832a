package records

import (
	"context"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/shape"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/config/form"
	"mcp-gateway/registry/listed"
)

// asked is one flag whose value must be known, from the configuration or from an event.
type asked struct {
	flag, value string
	column      string // of the record
	known       []string
}

// Words refuses a filter that names what neither the configuration nor any event knows:
// no rows would read as "has done nothing". A tool may be named as its upstream has it,
// "upstream/tool"; the filter gets its exposed name.
func (a *Records) Words(ctx context.Context, f *audit.Filter) error {
	if upstream, name, ok := strings.Cut(string(f.Tool), "/"); ok {
		f.Tool = audit.Ident(listed.ExposedName(upstream, name))
		if strings.HasSuffix(name, "*") {
			f.Tool = audit.Ident(upstream + "__" + name)
		}
	}
	for _, one := range []asked{
		{"--tool", string(f.Tool), "tool", a.tools()},
		{"--upstream", string(f.Upstream), "upstream", a.upstreams()},
		{"--reason", string(f.Reason), "reasons", a.reasons(ctx, string(f.Reason))},
		{"--tenant", string(f.Tenant), "tenant", nil},
		{"--client", string(f.Client), "client", a.clients()},
		{"--replica", string(f.Replica), "replica", nil},
	} {
		if err := a.knows(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// knows says whether a word is known; "" is no question.
func (a *Records) knows(ctx context.Context, q asked) error {
	prefix, open := strings.CutSuffix(q.value, "*")
	fits := func(s string) bool { return s == q.value || open && strings.HasPrefix(s, prefix) }
	if q.value == "" || slices.ContainsFunc(q.known, fits) {
		return nil
	}
	groups, err := a.index.Count(ctx, audit.Filter{Limit: maxPeople}, []string{q.column})
	if err != nil {
		return err
	}
	for _, g := range groups {
		for word := range strings.FieldsSeq(g.Values[0]) {
			if fits(word) {
				return nil
			}
			q.known = append(q.known, word)
		}
		if fits(g.Values[0]) {
			return nil // a tenant may have spaces
		}
	}
	slices.Sort(q.known)
	hint := form.DidYouMean(q.value, slices.Compact(q.known))
	if !strings.HasPrefix(hint, "; did") {
		hint = "" // all there are would be many
	}
	return cli.Misused("%s: no event and no configuration knows %q%s", q.flag, q.value, hint)
}

func (a *Records) upstreams() []string {
	if a.config == nil {
		return nil
	}
	return slices.Collect(maps.Keys(a.config.Upstreams))
}

func (a *Records) tools() []string {
	if a.config == nil || a.config.Exposure == "" {
		return nil
	}
	x, err := config.LoadExposure(a.config.Exposure)
	if err != nil {
		return nil // names only help; validate says what is wrong with the file
	}
	var names []string
	for id := range x.Items {
		if name := listed.Exposed(id); shape.Ident(name) {
			names = append(names, name)
		}
	}
	return names
}

func (a *Records) clients() []string {
	if a.config == nil {
		return nil
	}
	var ids []string
	for _, p := range a.principals {
		ids = append(ids, p.Client)
	}
	for i := range a.config.Admin.Keys {
		ids = append(ids, a.config.Admin.Keys[i].Member.ID)
	}
	return ids
}
