package effect

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
	"mcp-gateway/registry"
)

// Keyed finds the call's idempotency key: the host's, in _meta, or that in the
// argument which the reviewer named. A host's key is put into that argument where
// it is absent, before anything is judged, so that what is judged, digested and
// sent are the same bytes.
func Keyed(c *call.Call) error {
	if !c.SideEffects() {
		return nil
	}
	field := c.Item.Item().Facts.IdempotencyField
	fx := &call.Effect{}
	if raw, ok := protocol.Member(c.Request.Meta.Raw, call.MetaKey); ok {
		key, isText := protocol.Text(raw)
		if !isText || !receipt.ValidKey(key) {
			return gateway.Fail(gateway.CodeInvalidParams, gateway.ReasonKeyShape)
		}
		fx.Key, fx.Source = key, receipt.KeyOfHost
	}
	if carried, ok := carriedKey(c.Arguments, field); ok {
		if fx.Key != "" && fx.Key != carried {
			return gateway.Fail(gateway.CodeIdempotencyConflict, gateway.ReasonKeysDiffer)
		}
		fx.Key, fx.Source = carried, receipt.KeyOfArgument
	} else if fx.Key != "" {
		c.Arguments = withKey(c.Item.Item(), c.Arguments, fx.Key)
	}
	if fx.Key != "" {
		scope := receipt.ScopeOf(c.Principal.ID(), c.Item.Item().ID, fx.Key)
		fx.Scope = &scope
	}
	c.Effect = fx
	return nil
}

// carriedKey returns the key that the arguments carry.
func carriedKey(arguments []byte, field string) (string, bool) {
	if field == "" || arguments == nil {
		return "", false
	}
	raw, ok := protocol.Lookup(arguments, field)
	if !ok {
		return "", false
	}
	key, ok := protocol.Text(raw)
	return key, ok && receipt.ValidKey(key)
}

// Carries says whether the arguments as they go upstream carry the call's key, so
// that the upstream can tell a repeat.
func Carries(c *call.Call) bool {
	if c.Effect == nil || c.Effect.Key == "" {
		return false
	}
	key, ok := carriedKey(c.Sent, c.Item.Item().Facts.IdempotencyField)
	return ok && key == c.Effect.Key
}

// withKey adds the key where the reviewer's pointer says. Objects on its way that the
// caller left out are made only where the schema takes them with nothing in them but the
// key: half an object that the caller never sent would be refused as theirs.
func withKey(item *registry.Item, arguments []byte, key string) []byte {
	keyed, made := put(arguments, pointerTokens(item.Facts.IdempotencyField), protocol.AppendString(nil, key))
	if keyed == nil || made && !fits(item, keyed) {
		return arguments
	}
	return keyed
}

// fits says whether the pinned schema takes the arguments.
func fits(item *registry.Item, arguments []byte) bool {
	if item.Definition.Input == nil {
		return false
	}
	violations, err := item.Definition.Input.Check(arguments)
	return err == nil && len(violations) == 0
}

// mint makes a key for a call that brings none. It covers the gateway's own repeats
// alone.
func mint(c *call.Call) {
	c.Effect.Key, c.Effect.Source = receipt.MintKey(), receipt.KeyMinted
	carry(c)
}

// carry lets the upstream have a minted key too, where the reviewer named an
// argument for it and the schema takes it. The arguments that were judged and that
// state and approval are bound to stay as they are.
func carry(c *call.Call) {
	item := c.Item.Item()
	if c.Effect.Source != receipt.KeyMinted || item.Facts.IdempotencyField == "" {
		return
	}
	if keyed := withKey(item, c.Sent, c.Effect.Key); fits(item, keyed) {
		c.Sent = keyed
	}
}
