package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mcp-gateway/test/conformance/checks"
)

// runClients lets the suite's client tests judge a client command, one test
// after the other: each starts a server of its own and appends its URL to the
// command.
func runClients(ctx context.Context, s *Suite, dir, command string) (checks.Report, error) {
	report := checks.Report{}
	for _, c := range clientScenarios() {
		name := c.name + "@" + c.revision
		one, err := s.Run(ctx, filepath.Join(dir, name),
			"client", "--command", command, "--scenario", c.name, "--spec-version", c.revision)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		report[name] = one[c.name]
	}
	return report, nil
}

// throughGateway is the command that puts a gateway between the reference
// client and the suite's server. The suite gives it to a shell.
func throughGateway(client, out string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return strings.Join([]string{quote(self), "-between", quote(client), "-out", quote(out)}, " "), nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// between starts a gateway in front of the suite's server and runs the client
// against the gateway.
func between(ctx context.Context, client, out, server string) error {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO") + "@" + os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")
	stand, err := openStand(ctx, filepath.Join(out, "gateway "+scenario), map[string]string{dualUpstream: server})
	if err != nil {
		return err
	}
	defer func() { _ = stand.Close(ctx) }() // the suite judges what came before
	cmd := exec.CommandContext(ctx, client, stand.URL+"/"+dualUpstream)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
