package local

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// The files of a replica's folder.
const (
	Folder     = "run" // inside the state directory; holds a folder for each replica
	socketFile = "admin.sock"
	tokenFile  = "admin.token"
	lockFile   = "admin.lock"
)

// mostPath is how long a socket's path may be: sun_path holds 108 bytes on Linux, the
// end mark among them.
const mostPath = 100

// short calls do with a path of the socket that is short enough. A long one is reached
// through the folder's descriptor.
func short(path string, do func(path string) error) error {
	if len(path) <= mostPath {
		return do(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}

// dial connects to a socket.
func dial(path string) (net.Conn, error) {
	var c net.Conn
	err := short(path, func(p string) (err error) {
		c, err = net.Dial("unix", p)
		return err
	})
	return c, err
}
