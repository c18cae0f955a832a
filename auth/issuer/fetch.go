package issuer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

const (
	fetchTime  = 10 * time.Second // of one exchange
	maxAnswer  = 512 << 10        // bytes
	maxDepth   = 32
	retryAfter = 10 * time.Second // between two tries, whatever asked for them
)

// ErrAnswer says that an authorization server's answer is not what it should be.
var ErrAnswer = errors.New("issuer: not the answer that was asked for")

// StatusError is an answer with another status than 200.
type StatusError struct {
	Status int
	Code   string // of OAuth (RFC 6749 section 5.2), if it is one that is known; else ""
}

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("issuer: status %d %s", e.Status, e.Code) }

// unavailable is the error for what can't be judged now.
func unavailable(err error, after time.Duration) error {
	e := gateway.Because(gateway.CodeIssuerUnavailable, err)
	e.RetryAfter = after
	return e
}

// get fetches a document: one strict JSON object.
func get(ctx context.Context, client *http.Client, at string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, ErrAnswer
	}
	return exchange(client, req)
}

// PostForm posts a form as a client and returns the answer: one strict JSON
// object. Another status than 200 is a *StatusError.
func PostForm(ctx context.Context, c *http.Client, at string, form url.Values, as Client) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if err := as.sign(at, form, header); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, ErrAnswer
	}
	req.Header = header
	return exchange(c, req)
}

func exchange(client *http.Client, req *http.Request) ([]byte, error) {
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, bare(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, ErrAnswer
	}
	body, err := egress.ReadBody(resp.Body, maxAnswer)
	if err != nil {
		return nil, err
	}
	if protocol.Kind(body) != '{' || protocol.Check(body, protocol.Limits{Bytes: maxAnswer, Depth: maxDepth}) != nil {
		return nil, ErrAnswer
	}
	return body, nil
}

// bare is what went wrong without the URL, which may hold what no log should.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// refused reads the OAuth error code of a refusal. Its description is the
// server's own text and stays unread.
func refused(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	if err != nil || protocol.Kind(body) != '{' || protocol.Check(body, protocol.Limits{Bytes: 16 << 10, Depth: maxDepth}) != nil {
		return e
	}
	raw, _ := protocol.Member(body, "error")
	code, _ := protocol.Text(raw)
	switch code {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
		"invalid_scope", "invalid_target":
		e.Code = code
	}
	return e
}
