package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const revision = "2026-07-28"

func main() {
	url := flag.String("url", "", "the gateway's /mcp")
	calls := flag.String("calls", "", "calls.json")
	nothing := flag.Bool("nothing", false, "check that no tool is served: nothing has been reviewed")
	wait := flag.Duration("wait", 30*time.Second, "how long the gateway may take to serve what was reviewed")
	over := flag.String("pair", "", "only list and call as the reader: over http or stdio")
	speaks := flag.String("revision", revision, "the revision to speak with -pair")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *over != "" {
		if err := (pair{transport: *over, revision: *speaks, url: *url}).run(ctx, *calls); err != nil {
			fmt.Fprintln(os.Stderr, "gosdk:", err)
			os.Exit(1)
		}
		fmt.Println(*speaks)
		return
	}
	r := &run{out: os.Stdout, url: *url}
	if err := r.all(ctx, *calls, *nothing, *wait); err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

// run counts what came out as it must.
type run struct {
	out            io.Writer
	url            string
	passed, failed int
}

func (r *run) all(ctx context.Context, path string, nothing bool, wait time.Duration) error {
	t, err := readTable(path)
	if err != nil {
		return err
	}
	if nothing {
		t = t.unreviewed()
	}
	sessions := make(map[string]*mcp.ClientSession)
	defer func() {
		for _, s := range sessions {
			_ = s.Close() // stateless: nothing is left behind
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(t.Sees)) {
		session, err := r.sees(ctx, name, t.Sees[name], wait)
		r.tell(fmt.Sprintf("%s speaks %s and sees %d tools", name, revision, len(t.Sees[name])), err)
		if err != nil {
			return err
		}
		sessions[name] = session
	}
	for _, s := range t.Calls {
		result, err := sessions[s.As].CallTool(ctx, &mcp.CallToolParams{Name: s.Tool, Arguments: s.Arguments})
		refusal, err := s.check(result, err)
		r.tell(strings.TrimSpace(s.Title+": "+s.Tool+" "+refusal.ID), err)
	}
	fmt.Fprintf(r.out, "gosdk: %d passed, %d failed\n", r.passed, r.failed)
	if r.failed > 0 || r.passed == 0 {
		return errors.New("not as it must be")
	}
	return nil
}

// unreviewed is the table of a gateway before the first review: the same
// callers and calls, and no tool for any of them.
func (t *table) unreviewed() *table {
	before := &table{Sees: make(map[string][]string)}
	for name := range t.Sees {
		before.Sees[name] = nil
	}
	for _, s := range t.Calls {
		before.Calls = append(before.Calls, step{Title: "before any review", As: s.As, Tool: s.Tool, Arguments: s.Arguments, Code: "unknown_tool"})
	}
	return before
}

func (r *run) tell(what string, err error) {
	if err != nil {
		r.failed++
		fmt.Fprintf(r.out, "FAIL  %s: %v\n", what, err)
		return
	}
	r.passed++
	fmt.Fprintf(r.out, "ok    %s\n", what)
}

// bearer adds a caller's key to each request.
type bearer string

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(req)
}

func (r *run) connect(ctx context.Context, name string) (*mcp.ClientSession, error) {
	key := os.Getenv("GATEWAY_KEY_" + strings.ToUpper(name))
	client := mcp.NewClient(&mcp.Implementation{Name: "clients-test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: r.url, HTTPClient: &http.Client{Transport: bearer(key)}, MaxRetries: -1,
	}, nil)
	if err != nil {
		return nil, err
	}
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		return nil, errors.Join(fmt.Errorf("it speaks %s", got), session.Close())
	}
	return session, nil
}

// sees waits until a caller is shown exactly the tools that it must be shown. It
// connects anew each time: the client keeps a list for as long as the gateway
// says that it holds.
func (r *run) sees(ctx context.Context, name string, want []string, wait time.Duration) (*mcp.ClientSession, error) {
	late := time.After(wait)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		session, got, err := r.look(ctx, name)
		if err != nil {
			return nil, err
		}
		if slices.Equal(got, want) {
			return session, nil
		}
		if err := session.Close(); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, fmt.Errorf("after %s it sees %v, want %v", wait, got, want)
		case <-tick.C:
		}
	}
}

// look connects and lists.
func (r *run) look(ctx context.Context, name string) (*mcp.ClientSession, []string, error) {
	session, err := r.connect(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	got, err := listed(ctx, session)
	if err != nil {
		return nil, nil, errors.Join(err, session.Close())
	}
	return session, got, nil
}

func listed(ctx context.Context, session *mcp.ClientSession) ([]string, error) {
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}
