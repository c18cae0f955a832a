package ground

import (
	"fmt"
	"io"
	"os"

	"mcp-gateway/config"
)

// Read returns the configuration at path for a command that only reads state. Of one
// with faults it returns what could be read, and says so to w, as long as the state
// directory is there. state, where it is given, is that directory, whatever the
// configuration says and also where there is none.
//
// Errors are gateway.Problems of the configuration.
func Read(path, state string, w io.Writer) (*config.Config, error) {
	c, err := config.Survey(path)
	if c == nil && state == "" {
		return nil, err
	}
	if c == nil {
		c = &config.Config{}
	}
	if state != "" {
		c.State.Dir = state
		return c, nil
	}
	if err == nil {
		return c, nil
	}
	if info, absent := os.Stat(c.State.Dir); absent != nil || !info.IsDir() {
		return nil, err
	}
	fmt.Fprintf(w, "%s\nwarning: the configuration has faults; what is on record in %s is read all the same\n", err, c.State.Dir)
	return c, nil
}
