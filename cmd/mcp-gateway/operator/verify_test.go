package operator_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/operator"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/receipt"
)

func ring(t *testing.T) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const action = "01a22b82-1bea-75f7-8320-cfd622a5edfd"

func statement() *receipt.Statement {
	hash := strings.Repeat("ab", 32)
	at := func(seq uint64) receipt.EventRef {
		return receipt.EventRef{Replica: "r", Boot: 1, Seq: seq, Hash: hash}
	}
	return &receipt.Statement{
		V: receipt.Version, Action: action, Attempt: 1, Upstream: "desk", Tool: "open", Effect: gateway.Allow,
		Arguments: receipt.Arguments{
			Salt: base64.RawURLEncoding.EncodeToString(make([]byte, len(receipt.Salt{}))), Digest: receipt.ArgumentsDigest(receipt.Salt{}, []byte(`{"a":1}`)),
		},
		Outcome: gateway.OutcomeCommitted, ExternalID: "T-1", Decided: at(7), Finished: at(8), Build: "test",
	}
}

func sign(t *testing.T, by *keyring.Ring, s *receipt.Statement) []byte {
	t.Helper()
	envelope, err := receipt.Sign(by, s)
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

// altered is the envelope with another payload, or other members.
func altered(t *testing.T, envelope []byte, edit func(e *receipt.Envelope, payload string) string) []byte {
	t.Helper()
	var e receipt.Envelope
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = base64.StdEncoding.EncodeToString([]byte(edit(&e, string(payload))))
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every kind of forged receipt is refused by its name and by exit 4, offline: by nothing
// but the file and the public key.
func TestVerifyRefusesByName(t *testing.T) {
	ours, theirs := ring(t), ring(t)
	good, swapped := sign(t, ours, statement()), statement()
	swapped.Decided, swapped.Finished = swapped.Finished, swapped.Decided
	var key string
	for id, public := range ours.Public(keyring.Receipt) {
		key = id + ":" + base64.RawURLEncoding.EncodeToString(public)
	}
	arguments := func(text string) string {
		path := filepath.Join(t.TempDir(), "arguments.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tc := range []struct {
		name     string
		envelope []byte
		more     []string
		want     receipt.Refusal // "" = it is good
	}{
		{"as it was given", good, nil, ""},
		{"within the answer", []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"mcp-gateway/receipt":` + string(good) + `}}}`), nil, ""},
		{"shown for its own call", good, []string{"--action", action, "--arguments", arguments(`{ "a": 1 }`)}, ""},
		{"an altered field", altered(t, good, func(_ *receipt.Envelope, p string) string { return strings.Replace(p, "committed", "failed", 1) }), nil, receipt.BadSignature},
		{"an altered payload", altered(t, good, func(*receipt.Envelope, string) string { return `{"v":1}` }), nil, receipt.BadSignature},
		{"a wrong key", altered(t, sign(t, theirs, statement()), func(e *receipt.Envelope, p string) string {
			e.Signatures[0].KeyID = ours.KeyID(keyring.Receipt)
			return p
		}), nil, receipt.BadSignature},
		{"an unknown key id", sign(t, theirs, statement()), nil, receipt.UnknownKey},
		{"event positions swapped", sign(t, ours, swapped), nil, receipt.EventsSwapped},
		{"a truncated envelope", good[:len(good)/2], nil, receipt.BadEnvelope},
		{"shown for another call", good, []string{"--action", "01a22b82-1bea-75f7-8320-cfd622a5edfe"}, receipt.OtherCall},
		{"shown for other arguments", good, []string{"--arguments", arguments(`{"a":2}`)}, receipt.OtherArgs},
	} {
		var out bytes.Buffer
		path := ""
		for _, group := range operator.Commands(&path, "test") {
			if group.Name() != "receipts" {
				continue
			}
			group.SetArgs(append([]string{"verify", "-", "--key", key}, tc.more...))
			group.SetIn(bytes.NewReader(tc.envelope))
			group.SetOut(&out)
			group.SilenceErrors, group.SilenceUsage = true, true
			err := group.ExecuteContext(context.Background())
			var told *cli.Error
			switch {
			case tc.want == "" && (err != nil || !strings.HasPrefix(out.String(), "good: action "+action)):
				t.Errorf("%s: %v %s", tc.name, err, out.String())
			case tc.want != "" && (!errors.As(err, &told) || told.Code != cli.BadChain || told.Text != "refused: "+string(tc.want) || out.Len() > 0):
				t.Errorf("%s: %v %s, want %s", tc.name, err, out.String(), tc.want)
			}
		}
	}
}

// A key is accepted as receipts keys prints it, and alone in either alphabet of base64:
// then of several the one that signed counts.
func TestVerifyKeySpellings(t *testing.T) {
	ours, theirs := ring(t), ring(t)
	id := ours.KeyID(keyring.Receipt)
	public, other := ours.Public(keyring.Receipt)[id], theirs.Public(keyring.Receipt)[theirs.KeyID(keyring.Receipt)]
	standard, foreign := base64.StdEncoding.EncodeToString(public), base64.StdEncoding.EncodeToString(other)
	for name, tc := range map[string]struct {
		keys []string
		code int // of the exit
	}{
		"with its id":        {[]string{id + ":" + base64.RawURLEncoding.EncodeToString(public)}, cli.OK},
		"alone":              {[]string{standard}, cli.OK},
		"alone, for URLs":    {[]string{base64.RawURLEncoding.EncodeToString(public)}, cli.OK},
		"with id, standard":  {[]string{id + ":" + standard}, cli.OK},
		"behind another":     {[]string{foreign, standard}, cli.OK},
		"before another":     {[]string{standard, foreign}, cli.OK},
		"another alone":      {[]string{foreign}, cli.BadChain},
		"under another's id": {[]string{"0011223344556677:" + standard}, cli.BadChain},
		"no key":             {[]string{"0011"}, cli.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"verify", "-"}
			for _, key := range tc.keys {
				args = append(args, "--key", key)
			}
			path := ""
			cmd := operator.Commands(&path, "test")[0]
			cmd.SetArgs(args)
			cmd.SetIn(bytes.NewReader(sign(t, ours, statement())))
			cmd.SetOut(&bytes.Buffer{})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			told := &cli.Error{}
			if err != nil && !errors.As(err, &told) || told.Code != tc.code {
				t.Errorf("got %v, want exit %d", err, tc.code)
			}
		})
	}
}
