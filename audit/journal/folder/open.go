package folder

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"mcp-gateway/audit"
)

// openName is a writer's note of what was open when it began a segment.
const openName = "open"

// Opened is a decided event that has no end yet.
type Opened struct {
	Action audit.ID
	Seq    uint64
	Heard  bool // it is a subscription
}

// NoteOpen notes what was open when a writer began a segment, in place of the note before:
// whoever comes after its death need not read what lies before. Nothing rests on the
// note: where it is missing or older, more is read.
func NoteOpen(dir string, w Writer, segment int, all []Opened) error {
	path := filepath.Join(dir, w.String(), openName)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	fmt.Fprintf(out, "%d %d\n", segment, len(all))
	for _, o := range all {
		fmt.Fprintf(out, "%s %d %t\n", o.Action, o.Seq, o.Heard)
	}
	if err := out.Flush(); err != nil {
		_ = f.Close() // the first error is the one that counts
		return err
	}
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// OpenAt returns what a writer noted to be open when it began a segment; 0 where it noted
// nothing that can be read.
func OpenAt(dir string, w Writer) (segment int, all []Opened) {
	f, err := os.Open(filepath.Join(dir, w.String(), openName))
	if err != nil {
		return 0, nil
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var n int
	if _, err := fmt.Fscanf(in, "%d %d\n", &segment, &n); err != nil || segment < 1 || n < 0 {
		return 0, nil
	}
	for range n {
		var o Opened
		var id string
		if _, err := fmt.Fscanf(in, "%s %d %t\n", &id, &o.Seq, &o.Heard); err != nil {
			return 0, nil
		}
		var ok bool
		if o.Action, ok = audit.ParseID(id); !ok {
			return 0, nil
		}
		all = append(all, o)
	}
	return segment, all
}
