package operator

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/past"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/receipt"
)

func (d *desk) listReceipts() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List kept receipts, newest first", Args: cobra.NoArgs}
	action := cmd.Flags().String("action", "", "of this action only")
	limit := cmd.Flags().Int("limit", 100, "at most so many")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return d.reading(cmd, func(s *state) error {
			kept, err := s.store.Receipts(cmd.Context(), *action, *limit+1) // one more tells that there are more
			if err != nil {
				return err
			}
			if len(kept) > *limit {
				kept = kept[:*limit]
				fmt.Fprintf(cmd.ErrOrStderr(), "the newest %d, and there are more; --limit N\n", *limit)
			}
			t := &cli.Table{Columns: []string{"time", "action", "outcome", "digest"}, Kinds: map[string]cli.Kind{"time": cli.Time}}
			for _, k := range kept {
				t.Add(cli.Stamp(k.At), k.Action, string(k.Outcome), string(k.Digest))
			}
			return t.Write(cmd.OutOrStdout(), *format)
		})
	}
	return cmd
}

func (d *desk) showReceipt() *cobra.Command {
	return &cobra.Command{
		Use: "show ACTION", Short: "Print the newest receipt of an action, as it was given out", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.reading(cmd, func(s *state) error {
				kept, err := s.store.Receipts(cmd.Context(), args[0], 1)
				if err != nil {
					return err
				}
				if len(kept) == 0 {
					return &cli.Error{Code: cli.Failed, Text: "error: there is no receipt of " + args[0]}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", kept[0].Envelope)
				return nil
			})
		},
	}
}

// verify needs no gateway and no network: an envelope, the public keys, and where
// it is there the journal.
func (d *desk) verify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify a receipt offline; exit 4 and the name of what is wrong if it is refused",
		Long: "Verify a receipt, from a file or with - from standard input, by the keys in the state directory or by --key,\n" +
			"and hold it against the journal unless --key is given. The file holds the receipt, the _meta that it stands in,\n" +
			"the result, or the whole answer. It says which call it is of, and not that a result is true.",
		Args: cobra.ExactArgs(1),
	}
	action := cmd.Flags().String("action", "", "the `action` that it is shown for")
	arguments := cmd.Flags().String("arguments", "", "a `file` with the arguments that it is shown for, a JSON object; - is standard input")
	keys := cmd.Flags().StringArray("key", nil, "a public `key` as receipts keys and keys list print it, instead of the state's")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := read(cmd, args[0])
		if err != nil {
			return err
		}
		envelope, claim := receipt.Find(text), receipt.Claim{Action: *action}
		if *arguments != "" {
			if claim.Arguments, err = claimed(cmd, *arguments, args[0]); err != nil {
				return err
			}
		}
		if len(*keys) > 0 {
			given, err := parseKeys(*keys, envelope)
			if err != nil {
				return err
			}
			return tell(cmd.OutOrStdout(), envelope, given, claim, nil)
		}
		return elsewhere(d.with(cmd.Context(), func(s *state) error {
			events := past.Events(cmd.Context(), filepath.Join(s.dir, run.JournalDir))
			return tell(cmd.OutOrStdout(), envelope, s.ring.Public(keyring.Receipt), claim, events)
		}))
	}
	return cmd
}

// claimed reads the arguments that a receipt is shown for, in canonical form.
func claimed(cmd *cobra.Command, path, beside string) ([]byte, error) {
	if path == "-" && beside == "-" {
		return nil, cli.Misused("standard input is the receipt or the arguments, not both")
	}
	text, err := read(cmd, path)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if protocol.Check(text, protocol.Limits{Bytes: receipt.MostAnswer, Depth: 128}) != nil || protocol.Kind(text) != '{' {
		return nil, cli.Misused("--arguments: not a JSON object in which every name stands once")
	}
	return protocol.AppendCanonical(nil, text), nil
}

func read(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(cmd.InOrStdin(), receipt.MostAnswer))
	}
	return os.ReadFile(path)
}

func tell(w io.Writer, envelope []byte, keys map[string]ed25519.PublicKey, claim receipt.Claim, events receipt.Events) error {
	s, err := receipt.Verify(envelope, keys, claim)
	if err == nil && events != nil {
		err = s.Match(events)
	}
	var refused receipt.Refusal
	if errors.As(err, &refused) {
		return &cli.Error{Code: cli.BadChain, Text: "refused: " + string(refused)}
	}
	if err != nil {
		return err
	}
	evidence := "external id " + s.ExternalID
	if s.ExternalID == "" {
		evidence = "no external id"
	}
	fmt.Fprintf(w, "good: action %s, %s/%s, %s, %s\n", s.Action, s.Upstream, s.Tool, s.Outcome, evidence)
	return nil
}

func (d *desk) keys() *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "Print the public keys of receipts, for receipts verify --key elsewhere", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return d.reading(cmd, func(s *state) error {
				public := s.ring.Public(keyring.Receipt)
				for _, id := range slices.Sorted(maps.Keys(public)) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s:%s\n", id, base64.RawURLEncoding.EncodeToString(public[id]))
				}
				return nil
			})
		},
	}
}

// elsewhere says what to do where there is no state to verify by.
func elsewhere(err error) error {
	var ps gateway.Problems
	if errors.As(err, &ps) {
		return &cli.Error{Code: cli.Failed, Text: err.Error() + "\nwhere the gateway's configuration is not, name the key with --key, as `mcp-gateway receipts keys` prints it where the receipt was given out"}
	}
	return err
}

// parseKeys reads public keys as text: ID:KEY, or the key alone, which is then held to
// the receipt whatever id that names.
func parseKeys(texts []string, envelope []byte) (map[string]ed25519.PublicKey, error) {
	keys, named := make(map[string]ed25519.PublicKey, len(texts)), receipt.KeyID(envelope)
	for _, text := range texts {
		id, encoded, whole := strings.Cut(text, ":")
		if !whole {
			id, encoded = named, text
		}
		encoded = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(encoded, "=")) // either alphabet of base64
		key, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, cli.Misused("--key: %q is no key as receipts keys prints it", text)
		}
		_, refused := receipt.Verify(envelope, map[string]ed25519.PublicKey{id: key}, receipt.Claim{})
		if keys[id] == nil || whole || !errors.Is(refused, receipt.BadSignature) {
			keys[id] = key // of several without an id the one that signed it counts
		}
	}
	return keys, nil
}
