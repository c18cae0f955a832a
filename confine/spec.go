package confine

import (
	"fmt"
	"strings"
)

// Network is how much of the network a child reaches.
type Network string

// The networks.
const (
	None Network = "none" // no sockets at all, those of the machine included; pairs of sockets stay
	Own  Network = "own"  // a network namespace with nothing in it but loopback
	Any  Network = "any"  // all that the gateway reaches
)

// Spec says what a child may reach. Paths are absolute.
type Spec struct {
	// Open turns the allow-lists around: all but Hidden may be read, and all but
	// Hidden, Kept and the directory of the gateway's own binary written. The names of
	// files may be listed everywhere.
	Open   bool     `json:"open,omitempty"`
	Hidden []string `json:"hidden,omitempty"` // out of reach also where it lies among what every program needs
	Kept   []string `json:"kept,omitempty"`

	Read  []string `json:"read,omitempty"`  // may be read and run, beside what every program needs
	Write []string `json:"write,omitempty"` // may be read, run and written

	Network Network `json:"network"`
	Limits  Limits  `json:"limits"`
	UID     int     `json:"uid,omitempty"` // its own user and group; 0 = the gateway's
	GID     int     `json:"gid,omitempty"`

	// Must refuses to start the child where anything of this cannot be had.
	Must bool `json:"must,omitempty"`
}

// Limits are resource limits; 0 leaves one as it is. There are no core dumps.
type Limits struct {
	Memory    int `json:"memory,omitempty"`     // bytes of private memory (RLIMIT_DATA)
	Processes int `json:"processes,omitempty"`  // of its user, the gateway's own included (RLIMIT_NPROC)
	OpenFiles int `json:"open_files,omitempty"` // RLIMIT_NOFILE
	FileSize  int `json:"file_size,omitempty"`  // bytes of one file that it writes (RLIMIT_FSIZE)
}

// Report says what is in force. The zero value is: nothing.
type Report struct {
	Landlock   int      `json:"landlock,omitempty"` // version of the interface; 0 = none
	Open       bool     `json:"open,omitempty"`     // as in Spec
	Signals    bool     `json:"signals,omitempty"`  // reaches only its own processes, and no abstract sockets
	Network    Network  `json:"network,omitempty"`
	Privileges bool     `json:"privileges,omitempty"` // gains no more, and lost those over the machine
	UID        int      `json:"uid,omitempty"`        // its own, if it has one
	Limits     Limits   `json:"limits,omitzero"`
	Missing    []string `json:"missing,omitempty"` // what was wanted and is not in force
}

// String is one line for operators: "files: allow-list (landlock 7); network: none; …".
func (r Report) String() string {
	if !r.Privileges {
		return "nothing"
	}
	files := "files: all"
	switch {
	case r.Landlock > 0 && r.Open:
		files = fmt.Sprintf("files: all but the gateway's (landlock %d)", r.Landlock)
	case r.Landlock > 0:
		files = fmt.Sprintf("files: allow-list (landlock %d)", r.Landlock)
	}
	parts := []string{files, "network: " + string(r.Network), "no new privileges"}
	if r.Signals {
		parts = append(parts, "signals: its own")
	}
	if r.UID != 0 {
		parts = append(parts, fmt.Sprintf("uid: %d", r.UID))
	}
	for _, l := range r.Limits.list() {
		if l.value > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", l.name, l.value))
		}
	}
	if len(r.Missing) > 0 {
		parts = append(parts, "missing: "+strings.Join(r.Missing, ", "))
	}
	return strings.Join(parts, "; ")
}

// limit is one limit by name.
type limit struct {
	name  string
	value int
}

func (l Limits) list() []limit {
	return []limit{
		{"memory", l.Memory}, {"processes", l.Processes}, {"open files", l.OpenFiles}, {"file size", l.FileSize},
	}
}
