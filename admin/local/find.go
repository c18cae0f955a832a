package local

import (
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
	sockets, _ := filepath.Glob(filepath.Join(stateDir, Folder, "*", socketFile)) // the pattern is well formed
	for _, socket := range sockets {
		c, err := dial(socket)
		if err != nil {
			continue
		}
		_ = c.Close() // it was to see whether anyone answers
		dir := filepath.Dir(socket)
		token, _ := os.ReadFile(filepath.Join(dir, tokenFile)) // another key may be named instead
		return &Gateway{Replica: filepath.Base(dir), Token: strings.TrimSpace(string(token)), socket: socket}
	}
	return nil
}
