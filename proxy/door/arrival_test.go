package door_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/door"
)

// What fails while a request is read is its host's doing, and has a code.
func TestBodiesThatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		body io.Reader
		want gateway.Code
	}{
		"stalls":  {iotest.ErrReader(os.ErrDeadlineExceeded), gateway.CodeRequestTimeout},
		"ends":    {iotest.ErrReader(io.ErrUnexpectedEOF), gateway.CodeMalformed},
		"is over": {strings.NewReader("0123456789"), gateway.CodeTooLarge},
	} {
		r := httptest.NewRequest(http.MethodPost, door.Path, tc.body)
		_, err := door.Arrival(httptest.NewRecorder(), r, audit.Modern).Body(4)
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

// Nothing is unpacked: a body that is encoded is refused before it is read.
func TestEncodedBodies(t *testing.T) {
	policy := door.NewPolicy(nil, nil)
	for coding, refused := range map[string]bool{"": false, "identity": false, "Identity": false, "gzip": true, "br": true, "identity, gzip": true, "x": true} {
		h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
		if coding != "" {
			h.Set("Content-Encoding", coding)
		}
		c := &proxy.Call{World: &proxy.World{}, Arrival: proxy.Arrival{Host: "localhost", Header: h}}
		err := policy.AdmitPost(c)
		var e *gateway.Error
		if !refused && err != nil || refused && (!errors.As(err, &e) || e.Code != gateway.CodeMediaType) {
			t.Errorf("%q: %v", coding, err)
		}
	}
}
