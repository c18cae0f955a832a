package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcp-gateway/admin"
	"mcp-gateway/admin/local"
	"mcp-gateway/approval"
)

// mostAnswer bounds what is read of an answer, in bytes.
const mostAnswer = 16 << 20

// Client asks one gateway.
type Client struct {
	http *http.Client
	key  string
}

// Find returns a client of a gateway that runs on the state directory, or nil if none
// does. key is whose word it is; "" is that of the token.
func Find(stateDir, key string) *Client {
	if g := local.Find(stateDir); g != nil {
		return of(g, key)
	}
	return nil
}

// All returns a client of every gateway that runs on the state directory, each with its
// token.
func All(stateDir string) []*Client {
	var all []*Client
	for g := range local.All(stateDir) {
		all = append(all, of(g, ""))
	}
	return all
}

func of(g *local.Gateway, key string) *Client {
	if key == "" {
		key = g.Token
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return g.Dial() }
	return &Client{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: 30 * time.Second}, key}
}

// Refused is a refusal of the gateway, by its code.
type Refused struct{ Code, Message string }

// Error implements error.
func (r *Refused) Error() string { return fmt.Sprintf("%s (%s)", r.Message, r.Code) }

// List returns the tickets of these states, newest first; all of them.
func (c *Client) List(ctx context.Context, states []approval.State) ([]admin.Ticket, error) {
	var all []admin.Ticket
	values := url.Values{"limit": {"1000"}}
	for _, s := range states {
		values.Add("state", string(s))
	}
	for {
		var page admin.Tickets
		if err := c.ask(ctx, http.MethodGet, "/v1/approvals?"+values.Encode(), nil, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Approvals...); page.Next == "" {
			return all, nil
		}
		values.Set("cursor", page.Next)
	}
}

// Show returns one ticket with its sheet.
func (c *Client) Show(ctx context.Context, id string) (t admin.Ticket, err error) {
	err = c.ask(ctx, http.MethodGet, "/v1/approvals/"+url.PathEscape(id), nil, &t)
	return t, err
}

// Decide approves, denies or revokes.
func (c *Client) Decide(ctx context.Context, id string, to approval.State, v admin.Verdict) (t admin.Ticket, err error) {
	verb := map[approval.State]string{approval.Approved: "approve", approval.Denied: "deny", approval.Cancelled: "revoke"}[to]
	err = c.ask(ctx, http.MethodPost, "/v1/approvals/"+url.PathEscape(id)+"/"+verb, &v, &t)
	return t, err
}

// Remembered returns the consents that stand.
func (c *Client) Remembered(ctx context.Context) ([]admin.Consent, error) {
	var all admin.Consents
	err := c.ask(ctx, http.MethodGet, "/v1/remembered", nil, &all)
	return all.Remembered, err
}

// Forget ends a remembered consent.
func (c *Client) Forget(ctx context.Context, id, reason string) error {
	return c.ask(ctx, http.MethodPost, "/v1/remembered/"+url.PathEscape(id)+"/revoke", &admin.Verdict{Reason: reason}, nil)
}

// Refresh lets the gateway fetch an upstream's list now. An upstream that is down is no
// error.
func (c *Client) Refresh(ctx context.Context, upstream string) error {
	return c.ask(ctx, http.MethodPost, "/v1/upstreams/"+url.PathEscape(upstream)+"/refresh", nil, nil)
}

func (c *Client) ask(ctx context.Context, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://gateway"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Gateway-Via", "cli")
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode == http.StatusOK {
		if into == nil {
			return nil
		}
		return json.Unmarshal(raw, into)
	}
	var t admin.Trouble
	if json.Unmarshal(raw, &t) != nil || t.Error.Code == "" {
		return &Refused{"internal", strings.TrimSpace(http.StatusText(answer.StatusCode))}
	}
	return &Refused{t.Error.Code, t.Error.Message}
}
