package auth

import (
	"net/http"
	"net/url"
	"strings"
)

// Request is what of a request says, or may not say, who sent it.
type Request struct {
	Header   http.Header
	Query    string // of its URL, raw: no credential may stand there
	Endpoint string // the upstream whose endpoint was asked for; "" = all
}

// tokenInQuery says whether the URL carries a credential (RFC 6750 section 2.3),
// where logs and referrers spread it.
func (r *Request) tokenInQuery() bool {
	if !strings.Contains(r.Query, "token") && !strings.Contains(r.Query, "%") {
		return false
	}
	values, err := url.ParseQuery(r.Query)
	return err != nil || values.Has("access_token")
}
