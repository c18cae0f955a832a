package tracker

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"mcp-gateway/protocol"
)

const discovered = `{"resultType":"complete","supportedVersions":["` + protocol.Revision20260728 + `"],"capabilities":{"tools":{}},"ttlMs":3600000,"cacheScope":"public"}`

// ServeHTTP implements http.Handler.
func (t *Tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m, bad := protocol.ParseMessage(body, protocol.DefaultLimits())
	if err != nil || bad != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	switch m.Method {
	case protocol.MethodDiscover:
		say(w, m.ID, `"result":`+discovered)
	case protocol.MethodToolsList:
		all := definitions()
		list := make([]string, 0, len(all))
		for _, name := range names() {
			list = append(list, all[name])
		}
		say(w, m.ID, `"result":{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","tools":[`+strings.Join(list, ",")+`]}`)
	case protocol.MethodToolsCall:
		t.call(w, r, m)
	default:
		w.WriteHeader(http.StatusNotFound)
		say(w, m.ID, `"error":{"code":-32601,"message":"Method not found"}`)
	}
}

func (t *Tracker) call(w http.ResponseWriter, r *http.Request, m protocol.Message) {
	raw, _ := protocol.Member(m.Params, "name")
	tool, _ := protocol.Text(raw)
	arguments, _ := protocol.Member(m.Params, "arguments")
	id, ok, f := t.perform(tool, arguments)
	result := fmt.Sprintf(`"result":{"resultType":"complete","content":[{"type":"text","text":%q}],"structuredContent":{"id":%q}}`, id, id)
	if !ok {
		result = `"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"nothing has that request_id"}]}`
	}
	switch f {
	case Away:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case Lost:
		panic(http.ErrAbortHandler) // the connection breaks
	case Held:
		t.arrived <- struct{}{}
		select {
		case <-t.release:
		case <-r.Context().Done():
		}
	case FreeText:
		result = fmt.Sprintf(`"result":{"resultType":"complete","content":[{"type":"text","text":"Done: I have paged them, %s."}]}`, id)
	case WrongID:
		m.ID = []byte(`"another"`)
	}
	say(w, m.ID, result)
}

func say(w http.ResponseWriter, id []byte, member string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id, member) // who asked may have gone
}
