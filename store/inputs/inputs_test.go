package inputs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/store/inputs"
)

func TestKeepAndGet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), inputs.Name)
	f, raw := inputs.New(dir), []byte(`{"a":1}`)
	digest := protocol.DigestOf(raw)
	if _, err := f.Get(digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was never kept: %v", err)
	}
	for range 2 {
		if err := f.Keep(digest, raw); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := f.Get(digest); err != nil || string(got) != string(raw) {
		t.Errorf("%s %v", got, err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v %v: want one file", names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(names[0], []byte(`{"a":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if raw, err := f.Get(digest); err == nil {
		t.Errorf("an input that was changed is given: %s", raw)
	}
	for _, bad := range []gateway.Digest{"", "sha256-jcs1:..", "sha256-jcs1:../../../../../../../../../../../../../../../../../../../etc/passwd00"} {
		if f.Keep(bad, raw) == nil {
			t.Errorf("%q is taken for a digest", bad)
		}
	}
}
