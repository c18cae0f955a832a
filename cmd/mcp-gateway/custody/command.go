package custody

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/ground"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/keyring"
)

// desk is what the commands share.
type desk struct {
	config *string // path of the configuration
	state  string  // the directory, whatever the configuration says
}

// Commands returns keys list, keys rotate and keys import.
func Commands(config *string) []*cobra.Command {
	d := &desk{config: config}
	all := []*cobra.Command{d.list(), d.rotate(), d.take()}
	for _, c := range all {
		c.Flags().StringVar(&d.state, "state-dir", "", "the keys of this state `directory`, whatever the configuration says")
	}
	return all
}

// open opens the keys of the state.
func (d *desk) open(cmd *cobra.Command) (*keyring.Ring, error) {
	c, err := ground.Read(*d.config, d.state, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
}

func (d *desk) list() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "The gateway's own keys: purpose, id, public half",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ring, err := d.open(cmd)
			if err != nil {
				return err
			}
			t := &cli.Table{Columns: []string{"purpose", "key", "current", "public"}}
			for _, p := range keyring.Purposes() {
				for _, id := range ring.KeyIDs(p) {
					t.Add(string(p), id, map[bool]string{true: "yes"}[id == ring.KeyID(p)], public(ring, p, id))
				}
			}
			return t.Write(cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", cli.Formats)
	return cmd
}

// public is the public half of a key that signs, as those who verify want it.
func public(ring *keyring.Ring, p keyring.Purpose, id string) string {
	key := ring.Public(p)[id]
	switch p {
	case keyring.Checkpoint:
		return checkpoint.VerifierKey(ed25519.PublicKey(key))
	case keyring.Receipt:
		return id + ":" + base64.RawURLEncoding.EncodeToString(key)
	}
	return ""
}

// rotatable are the purposes of which a new key may be made: what the old one made is
// still read, verified and found. Handles are looked up by their key alone.
func rotatable() []string {
	var all []string
	for _, p := range keyring.Purposes() {
		if p != keyring.Handle {
			all = append(all, string(p))
		}
	}
	return all
}

func (d *desk) rotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate PURPOSE",
		Short: "Make a new key of a purpose: " + strings.Join(rotatable(), ", "),
		Long: "Make a new key of a purpose. The old ones stay in the state, so that what they signed is verified and what they sealed is opened.\n" +
			"Gateways that run go on with the old one until they are started again.\n\n" +
			"After audit, each principal has a new pseudonym: asking for one by name still finds both, and who knows the old key can't follow on.\n" +
			"After checkpoint and receipt, give those who verify elsewhere the new public key; keys list and audit key print all of them.",
		Args:      cobra.ExactArgs(1),
		ValidArgs: rotatable(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(rotatable(), args[0]) {
				return cli.Misused("no key of %q can be replaced: want one of %s", args[0], strings.Join(rotatable(), ", "))
			}
			ring, err := d.open(cmd)
			if err != nil {
				return err
			}
			p := keyring.Purpose(args[0])
			before := ring.KeyID(p)
			if err := ring.Rotate(p); err != nil {
				return err
			}
			return tell(cmd, ring, p, before)
		},
	}
}

func (d *desk) take() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Make the audit key of another gateway the current one here, so that both give a person one pseudonym",
		Long: "Make the audit key of another gateway the current one here: FILE is the newest audit-NNNNNN.key in the keys directory of its state,\n" +
			"brought over a way that nobody listens to. Both then name a person by one pseudonym, so that audit collect can be asked what one person\n" +
			"did at all of them. The own key stays, for what it named. Gateways that run go on with it until they are started again.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ring, err := d.open(cmd)
			if err != nil {
				return err
			}
			before := ring.KeyID(keyring.Audit)
			if err := ring.Import(keyring.Audit, args[0]); errors.Is(err, keyring.ErrFormat) {
				return cli.Misused("%s is no key file of a gateway", args[0])
			} else if err != nil {
				return err
			}
			return tell(cmd, ring, keyring.Audit, before)
		},
	}
}

// tell says which key is current now.
func tell(cmd *cobra.Command, ring *keyring.Ring, p keyring.Purpose, before string) error {
	now := ring.KeyID(p)
	if now == before {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is the current key already\n", p, now)
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is the current key now, for gateways that start from here on; %s stays for what it made\n", p, now, before)
	return err
}
