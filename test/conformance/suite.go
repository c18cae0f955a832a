package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"mcp-gateway/test/conformance/checks"
)

// Suite is the installed conformance suite.
type Suite struct {
	Dir     string        // where npm installed it
	Timeout time.Duration // of one scenario
}

const (
	suiteEntry = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
	nodeBinary = "node_modules/.bin/node"
)

// Run runs the suite with further arguments, lets it write into out, and reads
// what it found. The exit code says only that something failed, which the
// report says better.
func (s *Suite) Run(ctx context.Context, out string, args ...string) (checks.Report, error) {
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return nil, err
	}
	node, err := s.node()
	if err != nil {
		return nil, err
	}
	args = append([]string{filepath.Join(s.Dir, suiteEntry)}, args...)
	args = append(args, "-o", out, "--timeout", strconv.FormatInt(s.Timeout.Milliseconds(), 10))
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if saved := os.WriteFile(filepath.Join(out, "suite.log"), said.Bytes(), 0o644); saved != nil {
		return nil, saved
	}
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return nil, err
	}
	report, err := checks.ReadReport(out)
	if err == nil && len(report) == 0 {
		err = fmt.Errorf("the suite ran nothing; %s says why", filepath.Join(out, "suite.log"))
	}
	return report, err
}

// node is the one that was installed beside the suite, if there was need for
// one.
func (s *Suite) node() (string, error) {
	own := filepath.Join(s.Dir, nodeBinary)
	if _, err := os.Stat(own); err == nil {
		return own, nil
	}
	return exec.LookPath("node")
}
