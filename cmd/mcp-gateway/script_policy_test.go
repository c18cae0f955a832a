package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-gateway/protocol"
)

// scriptCommands are what scripts may do besides running programs.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"ports": ports, "fill": fill, "capture": capture, "await": await, "signer": signer, "publish": publish, "tamper": tamper,
	}
}

// ports VAR… sets each variable to an address of loopback that nobody listens on.
func ports(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Setenv(name, l.Addr().String())
		ts.Check(l.Close())
	}
}

// fill FILE… replaces $VARIABLES in files.
func fill(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// capture VAR PATTERN sets a variable to the first group of a pattern in the last
// standard output.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("no %s in the standard output", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// await URL PATTERN asks a URL until its answer matches.
func await(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile(args[1])
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	last := ""
	for {
		if resp, err := http.Get(args[0]); err == nil {
			body, err := io.ReadAll(resp.Body)
			ts.Check(errors.Join(err, resp.Body.Close()))
			if last = string(body); want.MatchString(last) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			ts.Fatalf("%s never said %s; at last:\n%s", args[0], args[1], last)
		}
	}
}

// signer PRIVATE PUBLIC makes a pair of keys that sign bundles.
func signer(ts *testscript.TestScript, _ bool, args []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600))
}

// publish VAR FILE serves a file as it is at each moment, with an ETag, and sets the
// variable to its URL.
func publish(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[1])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := os.ReadFile(path)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		sum := sha256.Sum256(raw)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(raw))
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL+"/policy.tar.gz")
}

// tamper FILE OLD NEW changes a text in a bundle and leaves its signature.
func tamper(ts *testscript.TestScript, _ bool, args []string) {
	z, err := gzip.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	from, to := tar.NewReader(z), tar.NewWriter(packed)
	for {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		body, err := io.ReadAll(from)
		ts.Check(err)
		body = bytes.ReplaceAll(body, []byte(args[1]), []byte(args[2]))
		h.Size = int64(len(body))
		ts.Check(to.WriteHeader(h))
		_, err = to.Write(body)
		ts.Check(err)
	}
	ts.Check(errors.Join(to.Close(), packed.Close(), os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o600)))
}

// caller ADDRESS KEY TOOL ARGUMENTS calls a tool as a host does and prints the answer.
func caller(args []string) int {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{%q:%q,%q:{},%q:{"name":"script","version":"1"}},"name":%q,"arguments":%s}}`,
		protocol.MetaVersion, protocol.Revision20260728, protocol.MetaClientCapabilities, protocol.MetaClientInfo, args[2], args[3])
	r, err := http.NewRequest(http.MethodPost, "http://"+args[0]+"/mcp", strings.NewReader(body))
	if err != nil {
		return 1
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + args[1],
		protocol.HeaderVersion: protocol.Revision20260728, protocol.HeaderMethod: "tools/call", protocol.HeaderName: args[2],
	} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer resp.Body.Close()
	_, err = io.Copy(os.Stdout, resp.Body)
	if err != nil {
		return 1
	}
	return 0
}

// exits CODE PROGRAM… runs a program and succeeds if it ends with the code.
func exits(args []string) int {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != args[0] {
		fmt.Fprintf(os.Stderr, "ended with %s\n", got)
		return 1
	}
	return 0
}
