package keyring_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/keyring"
)

func open(t *testing.T, dir string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newRing(t *testing.T) (*keyring.Ring, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state", "keys")
	return open(t, dir), dir
}

func keyFiles(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOpenMakesOneKeyAPurpose(t *testing.T) {
	_, dir := newRing(t)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("directory: %v %v", info.Mode(), err)
	}
	names := keyFiles(t, dir)
	if len(names) != len(keyring.Purposes()) {
		t.Fatalf("files: %v", names)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}
}

func TestReopenKeepsKeys(t *testing.T) {
	r, dir := newRing(t)
	again := open(t, dir)
	for _, p := range keyring.Purposes() {
		if len(r.KeyID(p)) != 16 || r.KeyID(p) != again.KeyID(p) {
			t.Errorf("%s: %q then %q", p, r.KeyID(p), again.KeyID(p))
		}
	}
	if r.MAC(keyring.Audit, []byte("x")) != again.MAC(keyring.Audit, []byte("x")) {
		t.Error("another MAC after reopening")
	}
}

func TestPurposesAreSeparate(t *testing.T) {
	r, _ := newRing(t)
	ids, macs := map[string]bool{}, map[[32]byte]bool{}
	for _, p := range keyring.Purposes() {
		ids[r.KeyID(p)] = true
		macs[r.MAC(p, []byte("same"))] = true
	}
	if n := len(keyring.Purposes()); len(ids) != n || len(macs) != n {
		t.Errorf("%d ids, %d macs of %d purposes", len(ids), len(macs), n)
	}
	if _, err := r.Open(keyring.Handle, r.Seal(keyring.State, []byte("x"), nil), nil); !errors.Is(err, keyring.ErrToken) {
		t.Errorf("a state token opened as a handle: %v", err)
	}
}

// One secret in two purposes' files must still give two keys.
func TestSameSecretInTwoPurposes(t *testing.T) {
	_, dir := newRing(t)
	secret, err := os.ReadFile(filepath.Join(dir, "audit-000001.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state-000001.key"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	if r.KeyID(keyring.Audit) == r.KeyID(keyring.State) || r.MAC(keyring.Audit) == r.MAC(keyring.State) {
		t.Error("two purposes share a key")
	}
}

func TestMACPartsAreUnambiguous(t *testing.T) {
	r, _ := newRing(t)
	seen := map[[32]byte]string{}
	for _, parts := range []string{"", "|", "ab", "a|b", "|ab", "ab|", "a|b|", "a||b"} {
		var list [][]byte
		for part := range strings.SplitSeq(parts, "|") {
			list = append(list, []byte(part))
		}
		sum := r.MAC(keyring.Audit, list...)
		if other, ok := seen[sum]; ok {
			t.Errorf("%q and %q have one MAC", parts, other)
		}
		seen[sum] = parts
		if sum != r.MAC(keyring.Audit, list...) {
			t.Errorf("%q: not repeatable", parts)
		}
	}
	if _, ok := seen[r.MAC(keyring.Audit)]; ok {
		t.Error("no parts and some parts have one MAC")
	}
}

func TestMACIsHMACSHA256OverLengthPrefixedParts(t *testing.T) {
	// The derivation is pinned, so that a journal written today verifies with
	// every later version: HKDF-SHA-256, info "mcp-gateway audit mac".
	dir := filepath.Join(t.TempDir(), "keys")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := bytes.Repeat([]byte{7}, 32)
	file := "mcp-gateway-key-v1 " + base64.RawURLEncoding.EncodeToString(secret) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "audit-000001.key"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	extract := hmac.New(sha256.New, make([]byte, 32))
	extract.Write(secret)
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte("mcp-gateway audit mac\x01"))
	h := hmac.New(sha256.New, expand.Sum(nil))
	for _, part := range []string{"head", "", "body"} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	got := open(t, dir).MAC(keyring.Audit, []byte("head"), nil, []byte("body"))
	if !hmac.Equal(got[:], h.Sum(nil)) {
		t.Errorf("MAC %x", got)
	}
}

func TestRotationKeepsOldKeys(t *testing.T) {
	r, dir := newRing(t)
	oldID, oldMAC := r.KeyID(keyring.Audit), r.MAC(keyring.Audit, []byte("event"))
	token := r.Seal(keyring.State, []byte("inner"), []byte("who"))
	for _, p := range []keyring.Purpose{keyring.Audit, keyring.State, keyring.State} {
		if err := r.Rotate(p); err != nil {
			t.Fatal(err)
		}
	}
	for name, ring := range map[string]*keyring.Ring{"rotated": r, "reopened": open(t, dir)} {
		if ring.KeyID(keyring.Audit) == oldID || ring.MAC(keyring.Audit, []byte("event")) == oldMAC {
			t.Errorf("%s: still the old key", name)
		}
		if sum, err := ring.MACBy(keyring.Audit, oldID, []byte("event")); err != nil || sum != oldMAC {
			t.Errorf("%s: MACBy: %v", name, err)
		}
		if text, err := ring.Open(keyring.State, token, []byte("who")); err != nil || string(text) != "inner" {
			t.Errorf("%s: old token: %q %v", name, text, err)
		}
	}
	if got := len(keyFiles(t, dir)); got != len(keyring.Purposes())+3 {
		t.Errorf("%d files", got)
	}
}

func TestReloadSeesAnotherProcessRotation(t *testing.T) {
	a, dir := newRing(t)
	b := open(t, dir)
	if err := b.Rotate(keyring.State); err != nil {
		t.Fatal(err)
	}
	token := b.Seal(keyring.State, []byte("x"), nil)
	if _, err := a.Open(keyring.State, token, nil); !errors.Is(err, keyring.ErrToken) {
		t.Fatalf("before Reload: %v", err)
	}
	if err := a.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Open(keyring.State, token, nil); err != nil || a.KeyID(keyring.State) != b.KeyID(keyring.State) {
		t.Fatalf("after Reload: %v", err)
	}
}

// A key that came from another ring is the current one then, and the same key; what the
// own one made is still known.
func TestImport(t *testing.T) {
	r, dir := newRing(t)
	theirs, from := newRing(t)
	file := filepath.Join(from, "audit-000001.key")
	own, token := r.KeyID(keyring.Audit), r.MAC(keyring.Audit, []byte("alice"))
	for range 2 { // the second time it is so already
		if err := r.Import(keyring.Audit, file); err != nil {
			t.Fatal(err)
		}
	}
	for name, ring := range map[string]*keyring.Ring{"imported": r, "reopened": open(t, dir)} {
		if ring.MAC(keyring.Audit, []byte("alice")) != theirs.MAC(keyring.Audit, []byte("alice")) || ring.KeyID(keyring.Audit) != theirs.KeyID(keyring.Audit) {
			t.Errorf("%s: not the same key", name)
		}
		if ids := ring.KeyIDs(keyring.Audit); len(ids) != 2 || ids[0] != own || ids[1] != theirs.KeyID(keyring.Audit) {
			t.Errorf("%s: %q", name, ids)
		}
		if sum, err := ring.MACBy(keyring.Audit, own, []byte("alice")); err != nil || sum != token {
			t.Errorf("%s: the own key: %v", name, err)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.key")
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want error
	}{
		"no key":          {"a key\n", 0o600, keyring.ErrFormat},
		"others read it":  {"mcp-gateway-key-v1 x\n", 0o644, keyring.ErrPermissions},
		"cut in the half": {"mcp-gateway-key-v1 AAAA\n", 0o600, keyring.ErrFormat},
	} {
		if err := os.WriteFile(bad, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(bad, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := r.Import(keyring.Audit, bad); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMACByUnknownID(t *testing.T) {
	r, _ := newRing(t)
	for _, id := range []string{"", "zz", "0011223344556677", r.KeyID(keyring.State), r.KeyID(keyring.Audit) + "00", strings.Repeat("z", 16)} {
		if _, err := r.MACBy(keyring.Audit, id); !errors.Is(err, keyring.ErrUnknownKey) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestSealOpen(t *testing.T) {
	r, _ := newRing(t)
	for _, text := range []string{"", "x", strings.Repeat("state ", 1000)} {
		token := r.Seal(keyring.State, []byte(text), []byte("aad"))
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("token %q", token)
		}
		if got, err := r.Open(keyring.State, token, []byte("aad")); err != nil || string(got) != text {
			t.Errorf("%q %v", got, err)
		}
		if _, err := r.Open(keyring.State, token, []byte("other")); !errors.Is(err, keyring.ErrToken) {
			t.Errorf("other aad: %v", err)
		}
		if r.Seal(keyring.State, []byte(text), []byte("aad")) == token {
			t.Error("a nonce came twice")
		}
	}
}

func TestOpenRefusesEveryAlteredByte(t *testing.T) {
	r, _ := newRing(t)
	raw, err := base64.RawURLEncoding.DecodeString(r.Seal(keyring.State, []byte("inner"), nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		for _, b := range [][]byte{changed, raw[:i]} {
			if _, err := r.Open(keyring.State, base64.RawURLEncoding.EncodeToString(b), nil); !errors.Is(err, keyring.ErrToken) {
				t.Errorf("byte %d: %v", i, err)
			}
		}
	}
	for _, token := range []string{"", "=", "not base64!", base64.URLEncoding.EncodeToString(append(raw, 1))} {
		if _, err := r.Open(keyring.State, token, nil); !errors.Is(err, keyring.ErrToken) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

func TestWrongPermissionsAreRefused(t *testing.T) {
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o644, 0o666} {
		_, dir := newRing(t)
		path := filepath.Join(dir, "state-000001.key")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := keyring.Open(dir)
		if !errors.Is(err, keyring.ErrPermissions) {
			t.Errorf("%04o: %v", mode, err)
		}
	}
	_, dir := newRing(t)
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Open(dir); !errors.Is(err, keyring.ErrPermissions) {
		t.Errorf("directory: %v", err)
	}
}

func TestDamagedKeyIsRefusedAndNotReplaced(t *testing.T) {
	for _, content := range []string{"", "\n", "mcp-gateway-key-v1 \n", "mcp-gateway-key-v1 " + strings.Repeat("A", 43),
		"mcp-gateway-key-v1 " + strings.Repeat("A", 42) + "\n", "mcp-gateway-key-v2 " + strings.Repeat("A", 43) + "\n",
		"mcp-gateway-key-v1 " + strings.Repeat("A", 43) + "\n\n", "mcp-gateway-key-v1 " + strings.Repeat("A", 42) + "B\n"} {
		_, dir := newRing(t)
		path := filepath.Join(dir, "audit-000001.key")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := keyring.Open(dir); !errors.Is(err, keyring.ErrFormat) {
			t.Errorf("%q: %v", content, err)
		}
		if now, _ := os.ReadFile(path); string(now) != content {
			t.Errorf("%q was replaced", content)
		}
	}
}

func TestForeignFilesAreIgnored(t *testing.T) {
	r, dir := newRing(t)
	for _, name := range []string{".new-123", "README", "audit-1.key", "audit-000000.key", "audit--00002.key", "future-000001.key", "audit-000002.key.bak"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if open(t, dir).KeyID(keyring.Audit) != r.KeyID(keyring.Audit) {
		t.Error("another current key")
	}
}

func TestRingsThatOpenAtOnceAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	const n = 16
	ids := make([]string, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			r, err := keyring.Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = allIDs(r)
		})
	}
	close(start)
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("%q and %q", ids[0], id)
		}
	}
}

// Real processes, not goroutines: the test binary runs itself.
func TestProcessesThatStartAtOnceAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	const n = 6
	var cmds [n]*exec.Cmd
	var out [n]bytes.Buffer
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0], "-test.run=^TestChildProcess$")
		cmds[i].Env = append(os.Environ(), "KEYRING_TEST_DIR="+dir)
		cmds[i].Stderr = &out[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range cmds {
		if err := cmds[i].Wait(); err != nil {
			t.Fatalf("%v: %s", err, out[i].String())
		}
	}
	want := allIDs(open(t, dir))
	for i := range out {
		if out[i].String() != want {
			t.Errorf("process %d: %q, want %q", i, out[i].String(), want)
		}
	}
}

func TestChildProcess(t *testing.T) {
	dir := os.Getenv("KEYRING_TEST_DIR")
	if dir == "" {
		return // only in the processes of TestProcessesThatStartAtOnceAgree
	}
	os.Stderr.WriteString(allIDs(open(t, dir)))
}

func allIDs(r *keyring.Ring) string {
	var b strings.Builder
	for _, p := range keyring.Purposes() {
		b.WriteString(r.KeyID(p) + " ")
	}
	return b.String()
}

func TestConcurrentUseDuringRotation(t *testing.T) {
	r, _ := newRing(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				token := r.Seal(keyring.State, []byte("x"), nil)
				if _, err := r.Open(keyring.State, token, nil); err != nil {
					t.Error(err)
				}
				r.MAC(keyring.State, []byte("x"))
			}
		})
	}
	for range 5 {
		if err := r.Rotate(keyring.State); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

func TestUnknownPurpose(t *testing.T) {
	r, _ := newRing(t)
	if r.KeyID("nonsense") != "" {
		t.Error("a key id for an unknown purpose")
	}
	if err := r.Rotate("nonsense"); !errors.Is(err, keyring.ErrUnknownKey) {
		t.Errorf("rotate: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("MAC for an unknown purpose did not panic")
		}
	}()
	r.MAC("nonsense")
}

// broken are texts that decoders of base64 take for the same bytes, or might.
func broken(token string) []string {
	half := len(token) / 2
	return []string{
		token + "\n", "\n" + token, token + "\r\n", token[:half] + "\n" + token[half:], token[:half] + "\r" + token[half:],
		token + "=", token + "==", token + " ", " " + token, token + "\x00", strings.ReplaceAll(strings.ReplaceAll(token, "-", "+"), "_", "/") + "A",
	}
}

// A token is the one text that Seal returned: none that decodes to the same bytes.
func TestTokensHaveOneSpelling(t *testing.T) {
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 { // of every length of the last group
		real := r.Seal(keyring.State, []byte(strings.Repeat("x", n)), nil)
		if _, err := r.Open(keyring.State, real, nil); err != nil {
			t.Fatal(err)
		}
		for _, other := range broken(real) {
			if _, err := r.Open(keyring.State, other, nil); !errors.Is(err, keyring.ErrToken) {
				t.Errorf("%q is taken for %q", other, real)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	r, err := keyring.Open(filepath.Join(f.TempDir(), "keys"))
	if err != nil {
		f.Fatal(err)
	}
	real := r.Seal(keyring.State, []byte("inner"), nil)
	f.Add("")
	f.Add("AQ")
	f.Add(real[:len(real)-1])
	for _, broken := range broken(real) {
		f.Add(broken)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if text, err := r.Open(keyring.State, token, nil); err == nil && token != real {
			t.Errorf("%q opened as %q", token, text)
		}
	})
}

func BenchmarkMAC(b *testing.B) {
	r, err := keyring.Open(filepath.Join(b.TempDir(), "keys"))
	if err != nil {
		b.Fatal(err)
	}
	event := make([]byte, 400)
	b.ReportAllocs()
	for b.Loop() {
		r.MAC(keyring.Audit, event)
	}
}

func BenchmarkSealOpen(b *testing.B) {
	r, err := keyring.Open(filepath.Join(b.TempDir(), "keys"))
	if err != nil {
		b.Fatal(err)
	}
	state := make([]byte, 300)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Open(keyring.State, r.Seal(keyring.State, state, nil), nil); err != nil {
			b.Fatal(err)
		}
	}
}
