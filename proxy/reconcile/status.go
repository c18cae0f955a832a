package reconcile

import (
	"context"
	"errors"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/receipt"
	"mcp-gateway/registry"
)

// Why a status tool can't be asked, for [errors.Is]. None of them says anything of
// the call.
var (
	ErrNoStatus  = errors.New("reconcile: the tool's review names no status tool")
	ErrNotServed = errors.New("reconcile: the tool or its status tool is not served as reviewed now")
	ErrNotRead   = errors.New("reconcile: the status tool is not reviewed as a read")
	ErrUnkeyed   = errors.New("reconcile: the upstream was not given the key that its status tool is asked by")
	ErrBehalf    = errors.New("reconcile: the upstream is only called on behalf of a caller")
	ErrNoAnswer  = errors.New("reconcile: the status tool gave no answer that keeps its contract")
)

// Desk asks status tools. All its members are required.
type Desk struct {
	Effects *effect.Book
	Sight   *sight.Sight
	Record  *record.Recorder
	World   func() *call.World
	Clock   func() time.Time

	pace pace
}

// answer is what a status tool knows of a key.
type answer struct {
	tool string // the upstream's own name of it
	id   string // the external id; "" = it knows of nothing
}

// ask asks the status tool of a tool what it knows of a key. That it is asked is on
// record before it is.
func (d *Desk) ask(ctx context.Context, w *call.World, on gateway.Behalf, of gateway.ItemID, action audit.ID, key string) (answer, error) {
	tool, query, err := d.statusTool(w, on, of)
	if err != nil {
		return answer{}, err
	}
	item := tool.Item()
	arguments := []byte{'{'}
	for name, text := range query.Arguments {
		arguments = append(protocol.AppendString(arguments, name), ':')
		arguments = append(protocol.AppendString(arguments, strings.ReplaceAll(text, "{key}", key)), ',')
	}
	arguments[len(arguments)-1] = '}' // there is one at least: {key} stands in it
	if violations, err := item.Definition.Input.Check(arguments); err != nil || len(violations) > 0 {
		return answer{}, ErrUnkeyed
	}
	if err := d.Record.AskedStatus(ctx, action, item); err != nil {
		return answer{}, err
	}
	params := append(protocol.AppendString([]byte(`{"name":`), item.ID.Name), `,"arguments":`...)
	ctx, cancel := context.WithTimeout(ctx, patience(w, item))
	defer cancel()
	in, err := w.Upstreams[of.Upstream].Call(ctx, protocol.Outgoing{
		Method: protocol.MethodToolsCall, Name: item.ID.Name, Params: append(append(params, arguments...), '}'),
		Arguments: arguments, Mirrors: item.Definition.Mirrors, Limit: w.Limits.Result, Behalf: on,
	})
	if err != nil {
		return answer{}, errors.Join(ErrNoAnswer, err)
	}
	id, err := found(item, query.Found, &in)
	return answer{tool: item.ID.Name, id: id}, err
}

// statusTool finds the pinned status tool of a pinned tool. Where its upstream is only
// called in the right of a caller, there is none without one: what the gateway itself, or
// anybody else, may see says nothing of this caller's call.
func (d *Desk) statusTool(w *call.World, on gateway.Behalf, of gateway.ItemID) (registry.Pinned, *gateway.StatusQuery, error) {
	catalog := d.Sight.Catalog()
	acted, missing := catalog.Resolve(gateway.KindTool, of.Upstream, of.Name)
	if missing != "" || w.Upstreams[of.Upstream] == nil {
		return registry.Pinned{}, nil, ErrNotServed
	}
	facts := acted.Item().Facts
	switch {
	case facts.Status == nil:
		return registry.Pinned{}, nil, ErrNoStatus
	case facts.IdempotencyField == "" || !keyed(facts.Status):
		return registry.Pinned{}, nil, ErrUnkeyed
	case w.Exchanged[of.Upstream] && on.Token == (gateway.Bearer{}):
		return registry.Pinned{}, nil, ErrBehalf
	}
	tool, missing := catalog.Resolve(gateway.KindTool, of.Upstream, facts.Status.Tool)
	if missing != "" || tool.Item().Definition.Input == nil {
		return registry.Pinned{}, nil, ErrNotServed
	}
	if tool.Item().Facts.Class() != gateway.Read {
		return registry.Pinned{}, nil, ErrNotRead
	}
	return tool, facts.Status, nil
}

// keyed says whether the question is about one key: another one would find whatever
// there is.
func keyed(q *gateway.StatusQuery) bool {
	for _, text := range q.Arguments {
		if strings.Contains(text, "{key}") {
			return true
		}
	}
	return false
}

func patience(w *call.World, item *registry.Item) time.Duration {
	if t := item.Facts.Timeout; t > 0 && t < w.Limits.CallTimeout {
		return t
	}
	return w.Limits.CallTimeout
}

// found reads the external id from the answer. An isError says that it knows of
// nothing; what breaks the contract says nothing at all.
func found(item *registry.Item, pointer string, in *protocol.Incoming) (string, error) {
	if in.Error != nil {
		return "", ErrNoAnswer
	}
	if raw, ok := protocol.Member(in.Result, "resultType"); ok {
		if kind, _ := protocol.Text(raw); kind != protocol.ResultComplete {
			return "", ErrNoAnswer
		}
	}
	if raw, _ := protocol.Member(in.Result, "isError"); string(raw) == "true" {
		return "", nil
	}
	structured, ok := protocol.Member(in.Result, "structuredContent")
	if !ok {
		return "", ErrNoAnswer
	}
	if output := item.Definition.Output; output != nil {
		if violations, err := output.Check(structured); err != nil || len(violations) > 0 {
			return "", ErrNoAnswer
		}
	}
	value, _ := protocol.Lookup(structured, pointer)
	id, text := protocol.Text(value)
	if protocol.IsInteger(value) {
		id, text = string(value), true
	}
	if !text || !receipt.ValidKey(id) {
		return "", nil
	}
	return id, nil
}

// Confirm notes on a call that just ran that the status tool knows its external id.
// Whatever else comes of it changes nothing.
func (d *Desk) Confirm(ctx context.Context, c *call.Call) {
	if !effect.Carries(c) {
		return
	}
	a, err := d.ask(ctx, c.World, c.Behalf(), c.Item.Item().ID, c.Action, c.Effect.Key)
	if err == nil && a.id == c.Effect.ExternalID {
		c.Effect.VerifiedBy = a.tool
	}
}
