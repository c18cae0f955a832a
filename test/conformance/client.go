package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
		args := []string{"client", "--command", command, "--scenario", c.name, "--spec-version", c.revision}
		if strings.HasPrefix(c.name, "auth/") {
			args = append(args, "--force") // an extension, which belongs to no revision
		}
		one, err := s.Run(ctx, filepath.Join(dir, strings.ReplaceAll(name, "/", "-")), args...)
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

// credentialFor does what an operator does before a server that wants a token:
// reads what the server says of its authorization server, and writes that one into
// the configuration together with the client that the test registered. "" for tests
// that want none.
func credentialFor(ctx context.Context, dir, server string) (string, error) {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	if scenario != credentialsJWT && scenario != credentialsBasic {
		return "", nil
	}
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Key    string `json:"private_key_pem"`
		Alg    string `json:"signing_algorithm"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &client); err != nil {
		return "", fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	issuer, err := issuerOf(ctx, server)
	if err != nil {
		return "", err
	}
	if err := os.Setenv("CONFORMANCE_CLIENT_SECRET", client.Secret); err != nil {
		return "", err
	}
	how := `client_secret: "env:CONFORMANCE_CLIENT_SECRET"`
	if scenario == credentialsJWT {
		path := dir + ".pem"
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(client.Key), 0o600)); err != nil {
			return "", err
		}
		how = fmt.Sprintf("client_auth: private_key_jwt, client_key: %q, client_algorithm: %s", "file:"+path, client.Alg)
	}
	return fmt.Sprintf("{client_credentials: {issuer: %q, client_id: %q, %s}}", issuer, client.ID, how), nil
}

// issuerOf reads which authorization server a server names (RFC 9728 section 5).
func issuerOf(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/.well-known/oauth-protected-resource"+u.Path, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var metadata struct {
		Servers []string `json:"authorization_servers"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&metadata); err != nil || len(metadata.Servers) == 0 {
		return "", fmt.Errorf("%s names no authorization server: %w", server, err)
	}
	return metadata.Servers[0], nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// between starts a gateway in front of the suite's server and runs the client
// against the gateway.
func between(ctx context.Context, client, out, server string) error {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO") + "@" + os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")
	dir := filepath.Join(out, "gateway "+strings.ReplaceAll(scenario, "/", "-"))
	credential, err := credentialFor(ctx, dir, server)
	if err != nil {
		return err
	}
	stand, err := openStand(ctx, dir, map[string]string{dualUpstream: server}, credential)
	if err != nil {
		return err
	}
	defer func() { _ = stand.Close(ctx) }() // the suite judges what came before
	if credential != "" {
		return nil // that the gateway was let in and has listed is the test; the reference client would want a token itself
	}
	cmd := exec.CommandContext(ctx, client, stand.URL+"/"+dualUpstream)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
