package listen

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
)

// MaxResources is how many resources one request or session may want. What a
// request wants beyond is not agreed to.
const MaxResources = 128

const (
	notificationsMember = "notifications"
	resourcesMember     = "resourceSubscriptions"
	filterField         = "/params/" + notificationsMember
)

// agree reads a filter (2026-07-28, Subscriptions, Notification Filter) and
// keeps of it what this principal may be told. A resource that it may not read is
// left out, like one that there is not.
func agree(ctx context.Context, now *standing, params []byte) (call.Subscription, error) {
	sub := call.Subscription{Wanted: &lifecycle.Wanted{}}
	filter, _ := protocol.Member(params, notificationsMember)
	if protocol.Kind(filter) != '{' {
		return sub, gateway.Wrong(gateway.CodeInvalidParams, filterField)
	}
	for i := range topics {
		value, ok := protocol.Member(filter, topics[i].member)
		if kind := protocol.Kind(value); ok && kind != 't' && kind != 'f' {
			return sub, gateway.Wrong(gateway.CodeInvalidParams, filterField+"/"+topics[i].member)
		}
		*topics[i].of(&sub) = protocol.Kind(value) == 't'
	}
	list, ok := protocol.Member(filter, resourcesMember)
	if !ok {
		return sub, nil
	}
	if protocol.Kind(list) != '[' {
		return sub, gateway.Wrong(gateway.CodeInvalidParams, filterField+"/"+resourcesMember)
	}
	for raw := range protocol.Elements(list) {
		if protocol.Kind(raw) != '"' {
			return sub, gateway.Wrong(gateway.CodeInvalidParams, filterField+"/"+resourcesMember)
		}
		normal, spelled, err := readURI(raw)
		if err == nil {
			_, err = now.resource(ctx, normal)
		}
		if err != nil || !sub.Wanted.Add(normal, spelled, MaxResources) {
			sub.Refused++
		}
	}
	return sub, nil
}

// appendAgreed appends the filter that was agreed to, in the host's own spelling
// and order.
func appendAgreed(dst []byte, sub *call.Subscription, params []byte) []byte {
	start := len(dst)
	for i := range topics {
		if *topics[i].of(sub) {
			dst = append(dst, `,"`+topics[i].member+`":true`...)
		}
	}
	if list, ok := protocol.Lookup(params, "/"+notificationsMember+"/"+resourcesMember); ok {
		dst = append(dst, `,"`+resourcesMember+`":[`...)
		wanted, _ := sub.Wanted.All()
		sep := ""
		for raw := range protocol.Elements(list) {
			normal, spelled, _ := readURI(raw)
			if wanted[normal] == spelled {
				dst = append(append(dst, sep...), raw...)
				sep = ","
			}
		}
		dst = append(dst, ']')
	}
	if len(dst) == start {
		return append(dst, `{}`...)
	}
	dst[start] = '{'
	return append(dst, '}')
}
