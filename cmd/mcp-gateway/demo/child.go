package demo

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// child is a second gateway on the same state directory, in a process of its own.
type child struct {
	cmd *exec.Cmd
	url string
}

// another starts one and waits until it serves.
func (s *stage) another(ctx context.Context) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, gatewayName, "--of", s.path("upstreams.yaml"), "--at", s.now().Format(time.RFC3339))}
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

// kill ends it without a word (SIGKILL), and its server with it.
func (c *child) kill() error {
	err := c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
	return err
}
