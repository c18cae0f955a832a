package headers_test

import (
	"fmt"
	"net/http"

	"mcp-gateway/protocol/headers"
)

func Example() {
	ms, err := headers.Mirrors([]byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	h := http.Header{}
	headers.SetParams(h, ms, []byte(`{"region":"Zürich"}`))
	fmt.Println(h)
	fmt.Println(headers.CheckParams(h, ms, []byte(`{"region":"Bern"}`), true))
	// Output:
	// map[Mcp-Param-Region:[=?base64?WsO8cmljaA==?=]]
	// header_mismatch: header or header annotation not as the protocol wants it: Mcp-Param-Region differs from its argument
}
