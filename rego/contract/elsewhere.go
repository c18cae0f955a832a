package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Elsewhere says at which other places of the input a member of that name stands, for
// who looked for it where it is not; "" where there is none. Below what nobody
// verified it does not look.
func Elsewhere(name string) string {
	found := map[string][]string{} // phases by path
	for _, p := range Phases() {
		Input(p).find(name, func(path string) { found[path] = append(found[path], string(p)) })
	}
	var out []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		text := path
		if len(found[path]) < len(Phases()) {
			text += " (in " + strings.Join(found[path], " and ") + ")"
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("; there is %s", strings.Join(out, ", "))
}

func (s *Shape) find(name string, found func(path string)) {
	if s == nil || s.Untrusted {
		return
	}
	for _, member := range s.Names() {
		if member == name {
			found(s.Fields[member].Path)
		}
		s.Fields[member].find(name, found)
	}
	s.Rest.find(name, found)
	s.Items.find(name, found)
}
