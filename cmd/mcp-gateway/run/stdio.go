package run

import (
	"context"
	"io"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/stdio"
)

// listTime is how long a stdio host waits for upstreams that start with it.
const listTime = 30 * time.Second

// ServeStdio serves the host that started this process, until its input ends or
// ctx does. An empty scope is all upstreams under exposed names, another one
// upstream under its own.
func (g *Gateway) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, scope string) error {
	if problem := g.stdioProblem(scope); problem != nil {
		return problem
	}
	var background sync.WaitGroup
	work, stop := context.WithCancel(ctx)
	background.Go(func() { g.corridor.Run(work) })
	background.Go(func() { g.keeper.Run(work) })
	background.Go(func() { g.watch(work) })
	background.Go(func() { g.admins.ServeSocket(work) })
	ready := make(chan struct{})
	background.Go(func() {
		defer close(ready)
		g.firstLists(work)
	})
	err := stdio.Serve(ctx, stdio.Options{Gateway: g.corridor, In: in, Out: out, Scope: scope, Ready: ready})
	stop()
	background.Wait()
	return err
}

// stdioProblem says why no host can be served over stdio.
func (g *Gateway) stdioProblem(scope string) error {
	problem := gateway.Problem{Pos: gateway.Pos{File: g.config.File}}
	switch {
	case g.config.Auth.Stdio == nil:
		problem.Code = "stdio_principal"
		problem.Message = "auth.stdio says who a stdio host is, and nobody may come by stdio without it; such as: auth: {stdio: {subject: local, scopes: []}}"
	case scope != "" && g.config.Upstreams[scope] == nil:
		problem.Code = "unknown_upstream"
		problem.Message = "there is no upstream " + scope
	default:
		return nil
	}
	return gateway.Problems{problem}
}

// firstLists returns when every upstream has listed, or could not in time: a host
// that asks for tools at once would otherwise find none.
func (g *Gateway) firstLists(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var wait sync.WaitGroup
	for id := range g.config.Upstreams {
		wait.Go(func() { _ = g.refresher.Refresh(ctx, id) }) // logged and recorded by the refresher
	}
	wait.Wait()
}
