package confine

import (
	"os"
	"path/filepath"
	"strings"
)

// maxEntries bounds how many entries of one directory are gone through. Those
// beyond it stay out of reach.
const maxEntries = 4096

// rootsBut lists places that together are all of dir but the excluded paths: a
// rule for a directory holds for all below it and cannot be taken back, so what
// stands beside an excluded path is named one by one. What is made there later is
// not among them. Symbolic links lead to places that are judged by themselves.
func rootsBut(dir string, excluded []string) []string {
	holds := false
	for _, path := range excluded {
		if path == dir {
			return nil
		}
		holds = holds || inside(path, dir)
	}
	if !holds {
		return []string{dir}
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	entries, _ := f.ReadDir(maxEntries) // what cannot be read is not granted
	_ = f.Close()
	var roots []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			roots = append(roots, rootsBut(filepath.Join(dir, e.Name()), excluded)...)
		}
	}
	return roots
}

func inside(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// resolved follows the symbolic links of the part of each path that exists.
func resolved(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = follow(filepath.Clean(path))
	}
	return out
}

func follow(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(follow(parent), filepath.Base(path))
}
