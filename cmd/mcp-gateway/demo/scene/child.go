package scene

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

// Child is a second gateway, in a process of its own.
type Child struct {
	cmd *exec.Cmd
	URL string
}

// Start starts it and waits until it serves.
func (s *Stage) Start(ctx context.Context) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &Child{cmd: exec.CommandContext(ctx, self, GatewayName, "--of", s.Path(second), "--at", s.Now().Format(time.RFC3339Nano))}
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
		_ = c.Kill()
		return nil, fmt.Errorf("the second gateway did not start: %w: %s", err, said.String())
	}
	c.URL = "http://" + strings.TrimSpace(line)
	return c, nil
}

// Kill ends it without a word (SIGKILL).
func (c *Child) Kill() error {
	err := c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
	return err
}

// Again starts the second gateway anew, in this process, on what the killed one left.
func (s *Stage) Again(ctx context.Context) (g *run.Gateway, url string, end func() error, err error) {
	s.read["second"] = folder.Cursor{}
	if g, err = run.Open(ctx, run.Options{ConfigPath: s.Path(second), Version: s.Version, Clock: s.Now}); err != nil {
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
