package hostfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/config"
	"mcp-gateway/config/imports"
	"mcp-gateway/gateway"
	"mcp-gateway/redact"
	"mcp-gateway/registry/diff"
)

// Import returns "upstreams import"; at is where the path of the configuration will
// stand once flags are parsed.
func Import(at *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import --from FILE",
		Short: "Add the servers of a host's own file to upstreams.yaml",
		Long: "Add the servers of a host's own file ({\"mcpServers\": …} or {\"servers\": …}, comments and trailing commas\n" +
			"too) to upstreams.yaml, but for those that it has switched off. Their secrets are not taken over: each becomes a reference to a variable of the\n" +
			"gateway's environment. Nothing of them is served before it is approved. All are added, or none.\n" +
			"What is in upstreams.yaml is started or reached by a gateway that runs on it, as soon as it reads the file, to\n" +
			"learn what it lists. --print writes nothing and starts nothing: it prints what would be added, so that what\n" +
			"would be started is reviewed first.",
		Args: cobra.NoArgs,
	}
	from := cmd.Flags().String("from", "", "the host's `file`")
	only := cmd.Flags().Bool("print", false, "print what would be added; write nothing")
	_ = cmd.MarkFlagRequired("from") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load(*at)
		if err != nil {
			return begun(*at, err)
		}
		servers, err := read(*from)
		if err != nil {
			return err
		}
		known := func(id string) bool { return c.Upstreams[id] != nil }
		if *only {
			text, err := imports.Text(servers, known)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		}
		if err := imports.Add(*at, servers, known); err != nil {
			return err
		}
		for i := range servers {
			advise(cmd.OutOrStdout(), &servers[i])
		}
		return nil
	}
	return cmd
}

// begun says what is enough to import into, where there is no configuration yet.
func begun(at string, err error) error {
	var problems gateway.Problems
	if _, absent := os.Stat(at); !errors.Is(absent, fs.ErrNotExist) || !errors.As(err, &problems) || len(problems) != 1 {
		return err
	}
	p := problems[0]
	p.Message += "; one that says `version: 1` and nothing else is enough to import into"
	return gateway.Problems{p}
}

// read reads the servers of a host's file.
func read(path string) ([]imports.Server, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cleaner := redact.New(redact.Options{})
	return imports.Parse(path, text, func(s string) bool { return cleaner.Text(s) != s })
}

// advise says what became of one server and what is still to be done.
func advise(out io.Writer, s *imports.Server) {
	if s.Off {
		fmt.Fprintf(out, "%s: left out, for the host has it switched off\n", diff.Visible(s.Named))
		return
	}
	fmt.Fprintf(out, "%s: added as %s; nothing of it is served yet\n", diff.Visible(s.Named), s.ID)
	needed := slices.Sorted(maps.Values(s.Env))
	if s.Bearer != "" {
		needed = append(needed, s.Bearer)
	}
	if len(needed) > 0 {
		fmt.Fprintf(out, "  set in the gateway's environment: %s\n", strings.Join(needed, " "))
	}
	for _, what := range s.Dropped {
		fmt.Fprintf(out, "  not taken over: %s\n", diff.Visible(what))
	}
	if s.Command != nil {
		fmt.Fprintf(out, "  a gateway that runs on this file starts: %s\n", diff.Visible(strings.Join(s.Command, " ")))
	} else {
		fmt.Fprintf(out, "  a gateway that runs on this file connects to: %s\n", diff.Visible(s.URL))
	}
	fmt.Fprintf(out, "  next: mcp-gateway upstreams test %s\n", s.ID)
}
