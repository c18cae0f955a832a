package local

import (
	"iter"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Gateway is a running gateway that can be asked.
type Gateway struct {
	Replica string
	Token   string // "" where this process may not read it
	socket  string
}

// Dial connects to it.
func (g *Gateway) Dial() (net.Conn, error) { return dial(g.socket) }

// Find returns a gateway that runs on the state directory; nil if none answers.
func Find(stateDir string) *Gateway {
	for g := range All(stateDir) {
		return g
	}
	return nil
}

// All gives every gateway that runs on the state directory and answers.
func All(stateDir string) iter.Seq[*Gateway] {
	return func(yield func(*Gateway) bool) {
		sockets, _ := filepath.Glob(filepath.Join(stateDir, Folder, "*", socketFile)) // the pattern is well formed
		for _, socket := range sockets {
			if g := at(socket); g != nil && !yield(g) {
				return
			}
		}
	}
}

// at returns the gateway that answers on a socket, or nil.
func at(socket string) *Gateway {
	c, err := dial(socket)
	if err != nil {
		return nil
	}
	_ = c.Close() // it was to see whether anyone answers
	dir := filepath.Dir(socket)
	token, _ := os.ReadFile(filepath.Join(dir, tokenFile)) // another key may be named instead
	return &Gateway{Replica: filepath.Base(dir), Token: strings.TrimSpace(string(token)), socket: socket}
}
