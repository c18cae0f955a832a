package config

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce is how long a file must have been left alone before a change of it
// is told: editors and rsync write in several steps.
const debounce = 200 * time.Millisecond

// Watch calls changed, one call at a time, after the content of one of the
// paths became different, until ctx ends. A path may be a file, one that does
// not exist yet included, or a directory, which stands for the files in it.
// Watch returns once it watches, so a caller that loads after it misses nothing.
//
// It watches directories rather than files: editors replace a file by renaming
// another onto it, and Kubernetes replaces a link in the directory above.
func Watch(ctx context.Context, paths []string, changed func()) error {
	fw, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	w := &watcher{fw: fw, paths: paths, changed: changed}
	if err := w.add(); err != nil {
		fw.Close()
		return err
	}
	w.seen = w.fingerprint()
	go w.run(ctx)
	return nil
}

type watcher struct {
	fw      *fsnotify.Watcher
	paths   []string
	changed func()
	seen    [sha256.Size]byte
}

// add watches the directories in which the paths and what they link to lie. It
// fails only if that of a path itself cannot be watched.
func (w *watcher) add() error {
	for _, path := range w.paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			_ = w.fw.Add(path) // its parent is watched as well
		}
		if err := w.fw.Add(filepath.Dir(path)); err != nil {
			return err
		}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			_ = w.fw.Add(filepath.Dir(target))
		}
	}
	return nil
}

func (w *watcher) run(ctx context.Context) {
	defer w.fw.Close()
	quiet := time.NewTimer(debounce)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-w.fw.Events:
			if !ok {
				return
			}
			quiet.Reset(debounce)
		case <-w.fw.Errors: // an overflow, or a watch that broke: look for ourselves
			quiet.Reset(debounce)
		case <-quiet.C:
			_ = w.add() // what was replaced is watched anew
			if now := w.fingerprint(); now != w.seen {
				w.seen = now
				w.changed()
			}
		}
	}
}

// fingerprint is a digest over the content of all paths.
func (w *watcher) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	for _, path := range w.paths {
		files := []string{path}
		if entries, err := os.ReadDir(path); err == nil {
			for _, e := range entries {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			sum := sha256.Sum256(text)
			h.Write([]byte(file))
			if err == nil { // absent and empty are two things
				h.Write(sum[:])
			}
			h.Write([]byte{0})
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
