package hosts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, roles())) }

// gatewayRole is a gateway that serves its parent over stdio; its arguments are
// a configuration and an upstream.
const gatewayRole = "gateway"

func roles() map[string]func(args []string) {
	return map[string]func([]string){
		gatewayRole: func(args []string) {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			defer stop()
			if err := overStdio(ctx, args[0], args[1]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	}
}

func overStdio(ctx context.Context, config, upstream string) (err error) {
	g, err := run.Open(ctx, run.Options{ConfigPath: config, Version: stage.Version})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	return g.ServeStdio(ctx, os.Stdin, os.Stdout, upstream)
}

// exact are arguments that lose something in every typed reading: a number
// beyond 2^53, spellings of numbers, an unknown member, null, a name twice
// escaped, order of members.
const exact = `{"z":9007199254740993,"a":1.10,"e":1e2,"n":null,"f":false,"s":"\u00e9\/","deep":{"unknown":[1.0,-0.0,[]]}}`

// exactResult holds the like in an upstream's result, around its arguments.
func exactResult(arguments string) string {
	return `{"resultType":"complete","vendor":{"x":1.10},"content":[{"type":"text","text":"t","annotations":{"priority":0}},{"type":"vendor/new","data":"?","n":9007199254740993}],` +
		`"structuredContent":{"got":` + arguments + `,"big":12345678901234567890123},"_meta":{"vendor.example/k":1.0,"io.modelcontextprotocol/serverInfo":{"name":"up"}}}`
}

// legacyResult is exactResult as hosts of earlier revisions must get it: without
// what the protocol reserves for other hops and revisions.
func legacyResult(arguments string) string {
	return `{"_meta":{"vendor.example/k":1.0},"vendor":{"x":1.10},"content":[{"type":"text","text":"t","annotations":{"priority":0}},{"type":"vendor/new","data":"?","n":9007199254740993}],` +
		`"structuredContent":{"got":` + arguments + `,"big":12345678901234567890123}}`
}

// peer is an upstream with a tool for each thing that may become of a call.
// Calls to "wait" say so on started, and end when they are cancelled.
func peer(started chan<- struct{}) *stage.Peer {
	return stage.NewPeer().
		Add(stage.Tool("exact"), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
			stage.Result(exactResult(m.Arguments()))(w, r, m)
		}).
		Add(stage.Tool("plain"), stage.Result(`{"resultType":"complete","content":[{"type":"text","text":"said"}],"structuredContent":{"said":"what is said","n":1}}`)).
		Add(stage.Tool("refuses"), stage.Result(`{"content":[{"type":"text","text":"no such ticket"}],"isError":true}`)).
		Add(stage.Tool("mirrored"), stage.Result(`{"content":[]}`)).
		Add(stage.Tool("secret"), stage.Result(`{"content":[]}`)).
		Add(stage.Tool("wait"), func(_ http.ResponseWriter, r *http.Request, _ stage.Message) {
			started <- struct{}{}
			<-r.Context().Done()
		})
}

// review gives alice all but the tool "secret", of which nobody holds the scope,
// and makes policy ask about "mirrored".
func review(id gateway.ItemID) string {
	switch id.Name {
	case "secret":
		return stage.Read("nobody")
	case "mirrored":
		return stage.Outbound("use")
	}
	return stage.Read("use")
}

// open puts a gateway before a peer on a stage, with principals alice and bob.
func open(t *testing.T) (*stage.Stage, <-chan struct{}) {
	t.Helper()
	started := make(chan struct{}, 8)
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}},
		Auth:       `stdio: {subject: local, tenant: test, scopes: [use]}`,
		Upstreams:  []stage.Upstream{stage.Served(t, "peer", peer(started))},
		Review:     review,
	})
	return s, started
}
