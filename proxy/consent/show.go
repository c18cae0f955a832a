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

// show is what an approver sees of the arguments: exactly what was sent, but for
// values that the reviewer classed as secret. Where anything else would have to be
// hidden, or hides, nobody can approve what they can't see.
func (d *Desk) show(c *call.Call) ([]byte, error) {
	shown := shownArguments(c)
	if len(shown) > mostShown {
		return nil, gateway.Fail(gateway.CodeForbidden, "arguments_too_large_to_show")
	}
	clean, err := d.Redactor.Any(shown)
	if err != nil || clean.Changed() {
		return nil, gateway.Because(gateway.CodeForbidden, err, "argument_hidden")
	}
	return shown, nil
}

func shownArguments(c *call.Call) []byte {
	if c.Arguments == nil {
		return []byte("{}")
	}
	var secret []string
	for pointer, class := range c.Item.Item().Facts.Data {
		if secretClass(class) {
			secret = append(secret, pointer)
		}
	}
	if secret == nil {
		return c.Arguments
	}
	return oblige.Arguments(c.Arguments, secret)
}

// message says in the reviewer's words what is about to happen. No text of the
// upstream enters it.
func message(c *call.Call, t *approval.Ticket) string {
	item := c.Item.Item()
	var b strings.Builder
	fmt.Fprintf(&b, "May this call run once?\n\nTool: %s on %s\nSide effect: %s", item.ID.Name, item.ID.Upstream, item.Facts.Class())
	if !item.Facts.Reversible {
		b.WriteString(", can't be taken back")
	}
	if !item.Facts.Contained {
		b.WriteString(", reaches people or systems outside")
	}
	fmt.Fprintf(&b, "\nArguments: %s\n", protocol.AppendCanonical(nil, shownArguments(c)))
	for _, pointer := range slices.Sorted(maps.Keys(item.Facts.Data)) {
		fmt.Fprintf(&b, "Data: %s is %s\n", pointer, item.Facts.Data[pointer])
	}
	fmt.Fprintf(&b, "Asked because: %s\nExpires: %s", joined(c.Decision.Reasons), t.Expires.UTC().Format(time.RFC3339))
	return b.String()
}

func joined(reasons []gateway.Reason) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}
