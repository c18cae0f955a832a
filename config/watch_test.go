package config

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// watched starts a Watch and returns the channel on which it tells.
func watched(t *testing.T, paths ...string) <-chan struct{} {
	t.Helper()
	told := make(chan struct{}, 16)
	if err := Watch(t.Context(), paths, func() { told <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	return told
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put replaces a file in one step, so that no half of it is ever seen.
func put(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path+"~", []byte(text), 0o600))
	must(t, os.Rename(path+"~", path))
}

func TestWatchWrite(t *testing.T) {
	path := write(t, "a.yaml", "one")
	told := watched(t, path)
	must(t, os.WriteFile(path, []byte("two"), 0o600))
	<-told
}

// TestWatchRename replaces the file as editors do, twice: the second time the
// file that was there at first is long gone.
func TestWatchRename(t *testing.T) {
	path := write(t, "a.yaml", "one")
	told := watched(t, path)
	for _, text := range []string{"two", "three"} {
		put(t, path, text)
		<-told
	}
}

// TestWatchAppears waits for a file that is not there at first.
func TestWatchAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	told := watched(t, path)
	must(t, os.WriteFile(path, nil, 0o600))
	<-told
}

// TestWatchKubernetes swaps the link ..data as a kubelet does: the file that is
// named is a link through it and itself never changes.
func TestWatchKubernetes(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"one", "two", "three"} {
		must(t, os.Mkdir(filepath.Join(dir, ".."+version), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, ".."+version, "a.yaml"), []byte(version), 0o600))
	}
	must(t, os.Symlink("..one", filepath.Join(dir, "..data")))
	must(t, os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")))
	told := watched(t, filepath.Join(dir, "a.yaml"))
	for _, version := range []string{"two", "three"} {
		must(t, os.Symlink(".."+version, filepath.Join(dir, "..tmp")))
		must(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
		<-told
	}
}

// TestWatchLinkedFile sees a change of the file that a link names elsewhere.
func TestWatchLinkedFile(t *testing.T) {
	target := write(t, "a.yaml", "one")
	link := filepath.Join(t.TempDir(), "link.yaml")
	must(t, os.Symlink(target, link))
	told := watched(t, link)
	must(t, os.WriteFile(target, []byte("two"), 0o600))
	<-told
}

func TestWatchDirectory(t *testing.T) {
	dir := t.TempDir()
	told := watched(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, "new.rego"), []byte("package a"), 0o600))
	<-told
}

// TestWatchTellsOnce holds that a burst of writes, and files that nobody asked
// about, make one call: whatever else came would be told before the last change.
func TestWatchTellsOnce(t *testing.T) {
	path := write(t, "a.yaml", "one")
	told := watched(t, path)
	for range 20 {
		put(t, path+".other", "x")
		put(t, path, "two")
	}
	<-told
	put(t, path+".other", "y")
	put(t, path, "three")
	<-told
	if n := len(told); n != 0 {
		t.Errorf("told %d times more", n)
	}
}

func TestWatchNeedsTheDirectory(t *testing.T) {
	if err := Watch(context.Background(), []string{filepath.Join(t.TempDir(), "absent", "a.yaml")}, func() {}); err == nil {
		t.Error("watches what is not there")
	}
}
