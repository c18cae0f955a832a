package details_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/keyring"
	"mcp-gateway/store/details"
)

const canary = `{"password":"correct horse battery staple"}`

func open(t *testing.T, path string) *details.DB {
	t.Helper()
	db, err := details.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func ring(t *testing.T) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is kept comes back for its own action, in its own time, by its own key, and
// the file holds nothing that can be read.
func TestKept(t *testing.T) {
	path, r := filepath.Join(t.TempDir(), details.Name), ring(t)
	db := open(t, path)
	now := time.Now()
	mine, other := audit.NewID(now), audit.NewID(now)
	k := detail.Seal(r, mine, now.Add(time.Hour), []byte(canary))
	if err := db.Keep(t.Context(), []detail.Kept{k, detail.Seal(r, other, now.Add(time.Hour), []byte("{}"))}); err != nil {
		t.Fatal(err)
	}
	if err := db.Keep(t.Context(), []detail.Kept{detail.Seal(r, mine, now.Add(time.Hour), []byte(`{"later":1}`))}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Get(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ring *keyring.Ring
		now  time.Time
		edit func(*detail.Kept)
		want error
	}{
		"as it was":        {r, now, func(*detail.Kept) {}, nil},
		"another action":   {r, now, func(k *detail.Kept) { k.Action = other }, keyring.ErrToken},
		"another time":     {r, now, func(k *detail.Kept) { k.Expires = k.Expires.Add(time.Hour) }, keyring.ErrToken},
		"another key":      {ring(t), now, func(*detail.Kept) {}, keyring.ErrToken},
		"changed":          {r, now, func(k *detail.Kept) { k.Sealed = k.Sealed[:50] + "AAAA" + k.Sealed[54:] }, keyring.ErrToken},
		"its time is over": {r, now.Add(time.Hour), func(*detail.Kept) {}, detail.ErrNone},
	} {
		k := got
		c.edit(&k)
		text, err := detail.Open(c.ring, k, c.now)
		if !errors.Is(err, c.want) || c.want == nil && string(text) != canary {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	for _, name := range []string{path, path + "-journal", path + "-wal"} {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte("battery")) {
			t.Errorf("%s holds plain arguments", name)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// What has expired is gone from the file itself.
func TestSweep(t *testing.T) {
	path, r := filepath.Join(t.TempDir(), details.Name), ring(t)
	db := open(t, path)
	now := time.Now()
	old, young := detail.Seal(r, audit.NewID(now), now, []byte(canary)), detail.Seal(r, audit.NewID(now), now.Add(time.Hour), []byte(canary))
	if err := db.Keep(t.Context(), []detail.Kept{old, young}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.Sweep(t.Context(), now.Add(time.Second)); n != 1 || err != nil {
		t.Fatalf("%d swept, %v", n, err)
	}
	if _, err := db.Get(t.Context(), old.Action); !errors.Is(err, detail.ErrNone) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := db.Get(t.Context(), young.Action); err != nil {
		t.Errorf("the young one: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte(old.Sealed[40:])) || !bytes.Contains(text, []byte(young.Sealed[40:])) {
		t.Errorf("the file still holds what expired, or lost what did not (%v)", err)
	}
}

// failing is a store that does not work.
type failing struct{ detail.Store }

func (failing) Keep(context.Context, []detail.Kept) error       { return errors.ErrUnsupported }
func (failing) Sweep(context.Context, time.Time) (int64, error) { return 0, nil }

// A box keeps what it is given, also what waits when it stops; what can't be kept is
// told, and nobody waits for it.
func TestBox(t *testing.T) {
	r, db := ring(t), open(t, filepath.Join(t.TempDir(), details.Name))
	id := audit.NewID(time.Now())
	box := detail.New(detail.Options{Ring: r, Store: db, For: time.Hour, Clock: time.Now, Log: func(err error) { t.Error(err) }})
	box.Keep(id, []byte(canary))
	ended, end := context.WithCancel(t.Context())
	end()
	box.Run(ended)
	if k, err := db.Get(t.Context(), id); err != nil || k.Expires.Before(time.Now().Add(59*time.Minute)) {
		t.Errorf("%+v %v", k, err)
	}
	var nobody *detail.Box
	nobody.Keep(id, []byte(canary))
	nobody.Run(t.Context())
	synctest.Test(t, func(t *testing.T) {
		var told []error
		broken := detail.New(detail.Options{Ring: r, Store: failing{}, For: time.Hour, Clock: time.Now, Log: func(err error) { told = append(told, err) }})
		for range 5000 {
			broken.Keep(id, []byte("{}"))
		}
		ctx, stop := context.WithCancel(t.Context())
		go broken.Run(ctx)
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		if len(told) != 2 || !errors.Is(told[0], detail.ErrLost) || !errors.Is(told[1], errors.ErrUnsupported) {
			t.Errorf("told %v", told)
		}
	})
}
