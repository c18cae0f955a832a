package wire

import (
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Initialize returns the legacy handshake's first request. relay are the
// methods that the server may ask of a host.
func Initialize(id int64, revision, version string, relay map[string]bool) []byte {
	params := append([]byte(nil), `{"protocolVersion":`...)
	params = protocol.AppendString(params, revision)
	params = append(params, `,"capabilities":{`...)
	params = append(params, strings.Join(declared(relay), ",")...)
	params = append(params, `},"clientInfo":`...)
	params = append(appendClientInfo(params, version), '}')
	return Envelope{}.Request(id, &protocol.Outgoing{Method: protocol.MethodInitialize, Params: params})
}

// declared are the client capabilities that invite those requests.
func declared(relay map[string]bool) []string {
	var all []string
	for method, on := range relay {
		if name, _, _ := strings.Cut(method, "/"); on {
			all = append(all, `"`+name+`":{}`)
		}
	}
	slices.Sort(all)
	return all
}

// Initialized returns the legacy handshake's last message.
func Initialized() []byte {
	return []byte(`{"jsonrpc":"2.0","method":"` + protocol.NotificationInitialized + `"}`)
}

// Cancelled returns the notification that withdraws the request id.
func Cancelled(id int64) []byte {
	dst := append([]byte(nil), `{"jsonrpc":"2.0","method":"`+protocol.NotificationCancelled+`","params":{"requestId":`...)
	return append(strconv.AppendInt(dst, id, 10), `,"reason":"the caller went away"}}`...)
}

// Listen is the request that asks a modern server to tell of changes: to the
// lists of which it announces them, and to the resources of those URIs. It
// stays open. nil if there is nothing to ask for.
func Listen(p *Peer, uris []string) *protocol.Outgoing {
	var wants [][]byte
	for _, kind := range []string{"tools", "prompts", "resources"} {
		if p.Declares("/" + kind + "/listChanged") {
			wants = append(wants, []byte(`"`+kind+`ListChanged":true`))
		}
	}
	if len(uris) > 0 {
		list := []byte(`"resourceSubscriptions":[`)
		for i, uri := range uris {
			if i > 0 {
				list = append(list, ',')
			}
			list = protocol.AppendString(list, uri)
		}
		wants = append(wants, append(list, ']'))
	}
	if len(wants) == 0 {
		return nil
	}
	params := []byte(`{"notifications":{`)
	for i, want := range wants {
		if i > 0 {
			params = append(params, ',')
		}
		params = append(params, want...)
	}
	return &protocol.Outgoing{Method: protocol.MethodSubscriptionsListen, Params: append(params, "}}"...)}
}

// OfURI is a request whose one parameter is a URI.
func OfURI(method, uri string) *protocol.Outgoing {
	return &protocol.Outgoing{
		Method: method, Params: append(protocol.AppendString([]byte(`{"uri":`), uri), '}'),
	}
}

// SetLevel is the legacy request for log messages of that severity and above.
func SetLevel(level string) *protocol.Outgoing {
	return &protocol.Outgoing{
		Method: protocol.MethodSetLevel, Params: append(protocol.AppendString([]byte(`{"level":`), level), '}'),
	}
}

// ListOf returns the member of a result that holds what the list method lists,
// or "" for another method.
func ListOf(method string) string {
	switch method {
	case protocol.MethodToolsList:
		return "tools"
	case protocol.MethodPromptsList:
		return "prompts"
	case protocol.MethodResourcesList:
		return "resources"
	case protocol.MethodResourceTemplatesList:
		return "resourceTemplates"
	default:
		return ""
	}
}

// Parse reads one message that may answer a request of the method. The page of
// a list may have faulty elements; everything else is read strictly.
func Parse(raw []byte, lim protocol.Limits, method string) (protocol.Message, error) {
	m, err := protocol.ParseMessage(raw, lim)
	list := ListOf(method)
	if err == nil || list == "" || Unreadable(err).Code == gateway.CodeTooLarge {
		return m, err
	}
	return protocol.ParsePage(raw, lim, list)
}
