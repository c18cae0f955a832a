package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/run"
)

// child is a second gateway, in a process of its own.
type child struct {
	cmd *exec.Cmd
	url string
}

// start starts it and waits until it serves.
func (s *stage) start(ctx context.Context) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, gatewayName, "--of", s.path(second), "--at", s.now().Format(time.RFC3339Nano))}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	c.cmd.Stderr = &said
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = c.kill()
		return nil, fmt.Errorf("the second gateway did not start: %w: %s", err, said.String())
	}
	c.url = "http://" + strings.TrimSpace(line)
	return c, nil
}

// kill ends it without a word (SIGKILL).
func (c *child) kill() error {
	err := c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
	return err
}

// again starts the second gateway anew, in this process, on what the killed one left.
func (s *stage) again(ctx context.Context) (g *run.Gateway, url string, end func() error, err error) {
	s.read["second"] = folder.Cursor{}
	if g, err = run.Open(ctx, run.Options{ConfigPath: s.path(second), Version: s.version, Clock: s.now}); err != nil {
		return nil, "", nil, err
	}
	serving, stop := context.WithCancel(ctx)
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- g.Serve(serving, func(a net.Addr) { ready <- a }) }()
	end = func() error {
		stop()
		return errors.Join(<-done, g.Close(context.WithoutCancel(ctx)))
	}
	select {
	case addr := <-ready:
		url = "http://" + addr.String()
	case err := <-done:
		stop()
		return nil, "", nil, errors.Join(err, g.Close(ctx))
	}
	if err := g.Refresh(ctx, "tracker"); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	return g, url, end, nil
}
