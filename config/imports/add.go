package imports

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcp-gateway/config/form"
	"mcp-gateway/config/form/edit"
)

// maxFile bounds an upstreams.yaml, in bytes.
const maxFile = 1 << 20

// ErrTaken says that an upstream of that id is configured already.
type ErrTaken struct{ ID string }

// Error implements error.
func (e *ErrTaken) Error() string {
	return "imports: there is an upstream " + e.ID + " already; nothing was written"
}

// Add writes the servers into the upstreams of the file, all of them or none. The
// rest of the file stays byte for byte. known are the ids that it has.
func Add(path string, servers []Server, known func(id string) bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text, err = set(path, text, servers, known); err != nil {
		return err
	}
	return swap(path, text)
}

// Text returns what Add would add to a file's upstreams, and writes nothing.
func Text(servers []Server, known func(id string) bool) ([]byte, error) {
	return set("upstreams.yaml", []byte("upstreams: {}\n"), servers, known)
}

// set sets the servers that the host has not switched off.
func set(path string, text []byte, servers []Server, known func(id string) bool) ([]byte, error) {
	var err, taken error
	for _, s := range servers {
		switch {
		case s.Off:
			continue
		case known(s.ID):
			taken = errors.Join(taken, &ErrTaken{s.ID})
			continue
		}
		if text, err = edit.Set(path, text, []string{"upstreams", s.ID}, pairs(s)); err != nil {
			return nil, err
		}
	}
	if taken != nil {
		return nil, taken
	}
	if doc := form.Parse(path, text, maxFile); !doc.Readable() {
		return nil, doc.Problems()
	}
	return text, nil
}

func pairs(s Server) []edit.Pair {
	if s.Command == nil {
		value := "{url: " + edit.Quote(s.URL)
		if s.Bearer != "" {
			value += ", credential: {bearer: " + edit.Quote("env:"+s.Bearer) + "}"
		}
		return []edit.Pair{{Key: "http", Value: value + "}"}}
	}
	parts := []string{"command: " + edit.QuoteList(s.Command), "pass_env: [PATH, HOME]"}
	if s.Dir != "" {
		parts = append(parts, "dir: "+edit.Quote(s.Dir))
	}
	values := maps.Clone(s.Plain)
	if values == nil {
		values = map[string]string{}
	}
	for variable, of := range s.Env {
		values[variable] = "env:" + of
	}
	if len(values) > 0 {
		var env []string
		for _, variable := range slices.Sorted(maps.Keys(values)) {
			env = append(env, fmt.Sprintf("%s: %s", edit.Quote(variable), edit.Quote(values[variable])))
		}
		parts = append(parts, "env: {"+strings.Join(env, ", ")+"}")
	}
	return []edit.Pair{{Key: "stdio", Value: "{" + strings.Join(parts, ", ") + "}"}}
}

// swap replaces the file in one step, with its mode.
func swap(path string, text []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails, as it should, after the rename
	if _, err = tmp.Write(text); err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
