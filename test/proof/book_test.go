package proof

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mcp-gateway/audit"
)

// book is what the journal says of calls. It reads the files along, with nothing
// of the journal's own but the form of a line, so that at any moment it can be
// asked whether something is on record by now.
type book struct {
	dir string

	mu      sync.Mutex
	read    map[string]int64 // by segment: how far, in whole lines
	writer  string           // the folder that is written to, as far as known
	byTrace map[audit.Trace]*entry
	actions map[audit.ID]*entry
	builds  map[uint64]audit.Version // by boot
	twice   []audit.Trace            // decided more than once
	strange []audit.ID               // ends of calls that were never decided
	failed  error
}

// entry is what is on record of one call.
type entry struct {
	decided  audit.Event
	outcome  audit.Event // of the last end
	finished int
	orphaned int
}

func newBook(dir string) *book {
	return &book{
		dir: dir, read: map[string]int64{}, byTrace: map[audit.Trace]*entry{},
		actions: map[audit.ID]*entry{}, builds: map[uint64]audit.Version{},
	}
}

// follow reads everything and stays with the newest writer.
func (b *book) follow(t *testing.T) {
	t.Helper()
	writers, err := filepath.Glob(filepath.Join(b.dir, "*-*")) // sorted, as boots are
	if err != nil || len(writers) == 0 {
		t.Fatal("no writer in the journal", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writer = writers[len(writers)-1]
	b.readAll()
	if b.failed != nil {
		t.Fatal(b.failed)
	}
}

// readAll reads on in every writer, readOn in the newest. The caller holds mu.
func (b *book) readAll() { b.readFolder(filepath.Join(b.dir, "*-*")) }

func (b *book) readOn() { b.readFolder(b.writer) }

func (b *book) readFolder(pattern string) {
	segments, err := filepath.Glob(filepath.Join(pattern, "*.jsonl"))
	for _, segment := range segments {
		err = errors.Join(err, b.readSegment(segment))
	}
	b.failed = errors.Join(b.failed, err)
}

func (b *book) readSegment(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(b.read[path], io.SeekStart); err != nil {
		return err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return nil
		}
		var e audit.Event
		if err := audit.Decode(line, &e); err != nil {
			return err
		}
		b.add(&e)
		b.read[path] += int64(len(line)) + 1
		text = rest
	}
}

func (b *book) add(e *audit.Event) {
	switch e.Type {
	case audit.GatewayStarted:
		b.builds[e.Boot] = e.Build
	case audit.ToolDecided:
		if b.byTrace[e.Trace] != nil {
			b.twice = append(b.twice, e.Trace)
		}
		made := &entry{decided: *e}
		b.byTrace[e.Trace], b.actions[e.Action] = made, made
	case audit.ToolFinished, audit.ToolOrphaned:
		b.end(e)
	}
}

// end files an end. Writers are read in the order of boots, and an end never
// stands in an earlier one than its decision.
func (b *book) end(e *audit.Event) {
	of := b.actions[e.Action]
	if of == nil {
		b.strange = append(b.strange, e.Action)
		return
	}
	of.outcome = *e
	if e.Type == audit.ToolFinished {
		of.finished++
	} else {
		of.orphaned++
	}
}

// decided says whether the decision of a call is on record now.
func (b *book) decided(trace audit.Trace) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byTrace[trace] == nil {
		b.readOn()
	}
	if b.byTrace[trace] == nil {
		b.readAll() // what was sent by a gateway that is dead meanwhile
	}
	return b.byTrace[trace] != nil
}

// ended says whether a call is on record with its end now, or was never
// decided.
func (b *book) ended(trace audit.Trace) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, read := range []func(){func() {}, b.readOn, b.readAll} {
		read()
		if e := b.byTrace[trace]; e != nil && e.finished > 0 {
			return true
		}
	}
	return b.byTrace[trace] == nil
}

func (s *scene) onRecord(traceparent string) bool {
	return s.book.decided(audit.ParseTrace(traceparent))
}
