package consent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/oblige"
)

// mostShown bounds the arguments that a person can be expected to read, in bytes.
const mostShown = 16 << 10

// secretClasses are the reviewed classes of data whose values an approver isn't shown:
// the reviewer judged that they are no part of the choice.
func secretClass(class string) bool {
	switch class {
	case "secret", "credential", "password":
		return true
	}
	return false
}

// sheet is what an approver sees: the arguments exactly as they were sent, but for
// values that the reviewer classed as secret. Where anything else would have to be
// hidden, or hides, nobody can approve what they can't see.
func (d *Desk) sheet(c *call.Call) (*approval.Sheet, error) {
	item := c.Item.Item()
	f := item.Facts
	hidden := hiddenOf(f)
	if blind(f, hidden) {
		return nil, gateway.Fail(gateway.CodeForbidden, "argument_hidden")
	}
	shown := shownArguments(c, hidden)
	if len(shown) > mostShown {
		return nil, gateway.Fail(gateway.CodeForbidden, "arguments_too_large_to_show")
	}
	clean, err := d.Redactor.Any(shown)
	if err != nil || clean.Changed() {
		return nil, gateway.Because(gateway.CodeForbidden, err, "argument_hidden")
	}
	return &approval.Sheet{
		Arguments: shown, Hidden: hidden, SideEffect: f.Class(), Reversible: f.Reversible, Contained: f.Contained,
		Destination: c.World.Destinations[item.ID.Upstream], Notifies: notified(f, c.Arguments), Data: f.Data, Evidence: f.ExternalID,
		Purpose: f.Why, Owner: f.Owner, Reasons: c.Decision.Reasons, Needs: c.Decision.Obligations.Approvals,
	}, nil
}

// hiddenOf are the pointers of what is classed as secret.
func hiddenOf(f *gateway.ExposureFacts) []string {
	var secret []string
	for pointer, class := range f.Data {
		if secretClass(class) {
			secret = append(secret, pointer)
		}
	}
	slices.Sort(secret)
	return secret
}

// blind says whether something is hidden that the choice turns on: who is notified, or
// what the call's scope is for. Nobody can approve that without seeing it.
func blind(f *gateway.ExposureFacts, hidden []string) bool {
	turns := slices.DeleteFunc(slices.Clone(f.Notifies), func(who string) bool { return !strings.HasPrefix(who, "/") })
	for _, scope := range f.Scopes {
		for part := range strings.SplitSeq(scope, "{") {
			if name, _, template := strings.Cut(part, "}"); template {
				turns = append(turns, "/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
			}
		}
	}
	for _, secret := range hidden {
		if slices.ContainsFunc(turns, func(place string) bool { return overlap(secret, place) }) {
			return true
		}
	}
	return false
}

// overlap says whether one of two JSON Pointers leads to, or into, what the other names.
// The token * stands for any.
func overlap(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] && as[i] != "*" && bs[i] != "*" {
			return false
		}
	}
	return true
}

func shownArguments(c *call.Call, hidden []string) []byte {
	switch {
	case c.Arguments == nil:
		return []byte("{}")
	case hidden == nil:
		return c.Arguments
	}
	return oblige.Arguments(c.Arguments, hidden)
}

// notified are those who learn of the call at once: as the reviewer wrote them, or
// what stands in the argument that the reviewer named.
func notified(f *gateway.ExposureFacts, arguments []byte) []string {
	var all []string
	for _, who := range f.Notifies {
		switch value, ok := protocol.Lookup(arguments, who); {
		case !strings.HasPrefix(who, "/"):
			all = append(all, who)
		case ok:
			all = append(all, string(value))
		}
	}
	return all
}

// message says in the reviewer's words what is about to happen. No text of the
// upstream enters it.
func message(c *call.Call, t *approval.Ticket, s *approval.Sheet) string {
	item := c.Item.Item()
	var b strings.Builder
	fmt.Fprintf(&b, "May this call run once?\n\nTool: %s on %s\n", item.ID.Name, item.ID.Upstream)
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", what, text)
		}
	}
	effect := string(s.SideEffect)
	if !s.Reversible {
		effect += ", can't be taken back"
	}
	if !s.Contained {
		effect += ", reaches people or systems outside"
	}
	line("Side effect", effect)
	line("Arguments", string(protocol.AppendCanonical(nil, s.Arguments)))
	line("Not shown, as the reviewer judged", strings.Join(s.Hidden, ", "))
	line("Goes to", s.Destination)
	for _, pointer := range slices.Sorted(maps.Keys(s.Data)) {
		line("Data", pointer+" is "+s.Data[pointer])
	}
	line("Notifies", strings.Join(s.Notifies, ", "))
	line("Evidence of it", s.Evidence)
	line("Asked because", joined(c.Decision.Reasons))
	fmt.Fprintf(&b, "Expires: %s", t.Expires.UTC().Format(time.RFC3339))
	return b.String()
}

func joined(reasons []gateway.Reason) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}
