package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// patience is how long a host waits for anything.
const patience = 20 * time.Second

// host is one client of the gateway.
type host struct {
	transport, revision string

	session  *mcp.ClientSession
	progress chan float64
	changed  chan struct{}
}

// hosts are all of them, in the order of the table.
func hosts() []*host {
	revisions := slices.Sorted(slices.Values(append(protocol.LegacyRevisions(), protocol.Revision20260728)))
	var all []*host
	for _, transport := range []string{"HTTP", "stdio"} {
		for _, revision := range revisions {
			all = append(all, &host{transport: transport, revision: revision})
		}
	}
	return all
}

func (h *host) String() string { return h.revision + " " + h.transport }

// connect connects the host to the gateway on a stage, or to one of its own with
// the same files.
func (h *host) connect(t *testing.T, s *stage.Stage) {
	t.Helper()
	h.progress, h.changed = make(chan float64, 16), make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "matrix", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"ok": true}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { h.progress <- r.Params.Progress },
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case h.changed <- struct{}{}:
			default:
			}
		},
	})
	var err error
	h.session, err = client.Connect(t.Context(), h.door(t, s), &mcp.ClientSessionOptions{ProtocolVersion: h.revision})
	if err != nil {
		t.Fatalf("%s: connect: %v", h, err)
	}
	t.Cleanup(func() { _ = h.session.Close() }) // the gateway may have ended it
	if got := h.session.InitializeResult().ProtocolVersion; got != h.revision {
		t.Fatalf("%s speaks %s", h, got)
	}
}

func (h *host) door(t *testing.T, s *stage.Stage) mcp.Transport {
	if h.transport == "stdio" {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], s.Path("upstreams.yaml"))
		cmd.Env = append(os.Environ(), stage.RoleVar+"="+gatewayRole)
		cmd.Stderr = os.Stderr
		return &mcp.CommandTransport{Command: cmd}
	}
	return &mcp.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.Host("alice").Key())}, MaxRetries: -1,
	}
}

// bearer adds a credential to each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// shifting is the tool whose definition changes.
const shifting = "shifting"

// works is a cell in which all came as it should; any other is a refusal by name,
// or else tells what went wrong.
const works = "works"

func refused(code string) string { return "refused: " + code }

// features are what each host tries with each upstream, in the order of the table.
var features = []struct {
	name string
	try  func(h *host, ctx context.Context, upstream string) (string, error)
}{
	{"list", (*host).list},
	{"call", (*host).call},
	{"progress", (*host).steps},
	{"cancel", (*host).cancel},
	{"elicitation", (*host).elicit},
	{"listen", (*host).listen},
}

// observe tries one thing; the gateway's own code stands in the cell where it
// refused.
func (h *host) observe(ctx context.Context, upstream string, try func(*host, context.Context, string) (string, error)) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cell, err := try(h, ctx, upstream)
	if err == nil {
		return cell
	}
	var wire *jsonrpc.Error
	var data struct{ Code string }
	if errors.As(err, &wire) && json.Unmarshal(wire.Data, &data) == nil && data.Code != "" {
		return refused(data.Code)
	}
	return "broken: " + err.Error()
}

// said calls a tool and returns the text of its result, or the code by which the
// gateway refused.
func (h *host) said(ctx context.Context, upstream, tool string, p *mcp.CallToolParams) (string, error) {
	p.Name = upstream + "__" + tool
	result, err := h.session.CallTool(ctx, p)
	if err != nil {
		return "", err
	}
	if refusal, ok := result.Meta["mcp-gateway/error"].(map[string]any); ok {
		return refused(fmt.Sprint(refusal["code"])), nil
	}
	if result.IsError || len(result.Content) != 1 {
		return "", fmt.Errorf("%s: %+v", tool, result)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return "", fmt.Errorf("%s: no text", tool)
	}
	return text.Text, nil
}

// list: all tools of the upstream are listed, but for one that may be held back
// just now.
func (h *host) list(ctx context.Context, upstream string) (string, error) {
	got, err := h.listed(ctx, upstream)
	if err != nil {
		return "", err
	}
	got = slices.DeleteFunc(got, func(name string) bool { return name == shifting })
	if want := []string{"ask", "cancelled", "drift", "echo", "steps", "wait"}; !slices.Equal(got, want) {
		return "", fmt.Errorf("listed %v", got)
	}
	return works, nil
}

// listed are the tools of one upstream.
func (h *host) listed(ctx context.Context, upstream string) ([]string, error) {
	list, err := h.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range list.Tools {
		if name, ok := strings.CutPrefix(tool.Name, upstream+"__"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// call: arguments arrive, and the answer comes back.
func (h *host) call(ctx context.Context, upstream string) (string, error) {
	const arguments = `{"n":9007199254740993,"s":"grüße"}`
	text, err := h.said(ctx, upstream, "echo", &mcp.CallToolParams{Arguments: json.RawMessage(arguments)})
	if err == nil && text == arguments {
		return works, nil
	}
	return text, err
}

// steps: progress comes on the host's own token, all of it, in its order.
func (h *host) steps(ctx context.Context, upstream string) (string, error) {
	p := &mcp.CallToolParams{}
	p.SetProgressToken("steps of " + upstream)
	text, err := h.said(ctx, upstream, "steps", p)
	if err != nil || text != "done" {
		return text, err
	}
	for want := range 3 {
		select {
		case got := <-h.progress:
			if got != float64(want+1) {
				return "", fmt.Errorf("progress %v after %d", got, want)
			}
		case <-ctx.Done():
			return "", fmt.Errorf("%d times progress", want)
		}
	}
	return works, nil
}

// cancel: what the host gives up ends at the upstream.
func (h *host) cancel(ctx context.Context, upstream string) (string, error) {
	before, err := h.cancelled(ctx, upstream)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for after := before; after == before; {
		if err := h.giveUp(ctx, upstream); err != nil {
			return "", err
		}
		for range 50 {
			if after, err = h.cancelled(ctx, upstream); err != nil || after != before {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return "", errors.New("the call goes on at the upstream")
			}
		}
		if err != nil {
			return "", err
		}
	}
	return works, nil
}

// giveUp calls what never ends and gives it up, perhaps before it was sent on.
func (h *host) giveUp(ctx context.Context, upstream string) error {
	call, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	if text, err := h.said(call, upstream, "wait", &mcp.CallToolParams{}); call.Err() == nil {
		return fmt.Errorf("it ended by itself: %s %w", text, err)
	}
	return nil
}

// cancelled is how many calls ended at the upstream because they were given up.
func (h *host) cancelled(ctx context.Context, upstream string) (int, error) {
	text, err := h.said(ctx, upstream, "cancelled", &mcp.CallToolParams{})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// elicit: what the upstream asks in the middle of a call reaches the host, and its
// answer the upstream.
func (h *host) elicit(ctx context.Context, upstream string) (string, error) {
	text, err := h.said(ctx, upstream, "ask", &mcp.CallToolParams{})
	if err == nil && text == "accept" {
		return works, nil
	}
	return text, err
}

// listen: the host is told, unasked, that the list changed, and finds that it did:
// a definition that is not the reviewed one is gone, or back. The stream on which it
// is told may be young: it is changed until it is told.
func (h *host) listen(ctx context.Context, upstream string) (string, error) {
	before, err := h.listed(ctx, upstream)
	if err != nil {
		return "", err
	}
	for ctx.Err() == nil {
		if _, err := h.said(ctx, upstream, "drift", &mcp.CallToolParams{}); err != nil {
			return "", err
		}
		if told, err := h.told(ctx, upstream, slices.Contains(before, shifting)); told || err != nil {
			return works, err
		}
	}
	return "", errors.New("nothing was told")
}

// told waits a while until the host was told and no longer sees what it saw.
func (h *host) told(ctx context.Context, upstream string, seen bool) (bool, error) {
	late := time.NewTimer(5 * time.Second)
	defer late.Stop()
	for {
		select {
		case <-h.changed: // of this upstream, or late of the one before
		case <-late.C:
			return false, nil
		}
		now, err := h.listed(ctx, upstream)
		if err != nil || slices.Contains(now, shifting) != seen {
			return true, err
		}
	}
}
