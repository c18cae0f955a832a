package author

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/author/shelf"
	"mcp-gateway/cmd/mcp-gateway/author/tests"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/config"
	"mcp-gateway/rego"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/pack"
	"mcp-gateway/rego/policy"
)

// desk is what the commands share.
type desk struct {
	config  *string // path of the configuration
	version string
}

// Command returns "policy" with all below it. config is where the path of the
// configuration will stand once flags are parsed.
func Command(config *string, version string) *cobra.Command {
	d := &desk{config, version}
	all := append(tests.Commands(d.folder), d.check(), shelf.Show(), shelf.Schema(), d.eval(), d.build(), d.who(), d.what(), d.explain(), d.replay())
	return cli.Group("policy", "Write policy, and ask what it does", all...)
}

// from is the folder that a command is about: its argument, or else what the
// configuration names, or else the shipped policy.
func (d *desk) from(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], there(args[0])
	}
	if _, err := os.Stat(*d.config); err != nil {
		return "", nil
	}
	c, err := config.Load(*d.config)
	if err != nil {
		return "", err
	}
	return delivery.Place(c), nil
}

// there says that a policy which is named is not there, or is one file of it.
func there(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(path, bundleEnd):
		return cli.Misused("there is no folder or bundle %s", path)
	case err == nil && !info.IsDir() && strings.HasSuffix(path, ".rego"):
		return cli.Misused("%s is one file; name the folder that holds the policy: %s", path, filepath.Dir(path))
	}
	return nil
}

// folder opens what from names, where a bundle won't do: it holds no tests.
func (d *desk) folder(args []string) (fs.FS, string, error) {
	from, err := d.from(args)
	if info, wrong := os.Stat(from); err == nil && from != "" && (wrong != nil || !info.IsDir()) {
		err = cli.Misused("%s is no folder; name the folder in which the policy was written", from)
	}
	files, shown := opened(from)
	return files, shown, err
}

// opened opens the folder of a policy, "" for the shipped one, with the name
// under which problems show it.
func opened(dir string) (fs.FS, string) {
	if dir == "" {
		return policy.Files(), "(shipped policy)"
	}
	return os.DirFS(dir), dir
}

// load checks the policy of a folder, of a bundle, or of several with
// delivery.Between between them.
func load(ctx context.Context, from string, key []byte) (*check.Policy, error) {
	info, err := os.Stat(from)
	parts := strings.Split(from, delivery.Between)
	if from == "" || err == nil && info.IsDir() || err != nil && len(parts) == 1 && !strings.HasSuffix(from, bundleEnd) {
		return rego.Check(ctx, from)
	}
	if err == nil {
		parts = []string{from} // a name that has it in it
	}
	var members []pack.Member
	for i, path := range parts {
		b, err := bundleOf(path, key)
		if err != nil {
			return nil, err
		}
		members = append(members, pack.Member{Name: strconv.Itoa(i + 1), Shown: path, Bundle: b})
	}
	return pack.Join(ctx, members)
}

// bundleEnd is how a bundle's name ends.
const bundleEnd = ".tar.gz"

// bundleOf reads one bundle.
func bundleOf(path string, key []byte) (*pack.Bundle, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: there is no bundle " + path + "; where a service delivers policy, it is there once one was taken"}
	}
	if err != nil {
		return nil, err
	}
	return pack.Open(filepath.Clean(path), raw, pack.Trust{Key: key, Unsigned: key == nil})
}

// keyFile reads a PEM key, if one is named.
func keyFile(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return os.ReadFile(path)
}
