package journal

import (
	"errors"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// errSpoiled is the cause for those who wait on a segment whose sync failed:
// after a failed fsync the kernel may have dropped what it could not write, and
// a second one that succeeds proves nothing.
var errSpoiled = errors.New("journal: an earlier sync of the segment failed")

// segment is the file that the writer appends to.
type segment struct {
	file   file
	number int
	size   int64 // of its whole lines
	torn   int64 // bytes after them, left by a failed write
	cut    int64 // torn bytes that no written audit.recovered tells of yet
}

// newSegment makes a segment and its name durable.
func (j *Journal) newSegment(number int) (segment, error) {
	f, err := j.create(filepath.Join(j.dir, folder.SegmentName(number)))
	if err != nil {
		return segment{}, err
	}
	if err := folder.SyncDir(j.dir); err != nil {
		return segment{}, errors.Join(err, f.Close())
	}
	return segment{file: f, number: number}, nil
}

// write appends to the segment, which it first mends or changes where needed. n
// bytes are in the file, also with an error.
func (j *Journal) write(b []byte) (n int, err error) {
	if err := j.ready(); err != nil {
		return 0, err
	}
	n, err = j.current.file.Write(b)
	if err == nil {
		j.current.size += int64(n)
		j.current.cut = 0
	}
	return n, err
}

// ready makes sure that the segment may be appended to: no torn tail, no failed
// sync, not full.
func (j *Journal) ready() error {
	if j.current.torn > 0 {
		if err := j.current.file.Truncate(j.current.size); err != nil {
			return err
		}
		j.current.torn = 0
		return j.rotate()
	}
	j.mu.Lock()
	spoiled := j.spoiled
	j.mu.Unlock()
	if spoiled || j.current.size >= j.limit {
		return j.rotate()
	}
	return nil
}

// rotate goes on in a new segment, once the old one is durable. An empty one is
// kept, so that a full disk does not gather empty files.
func (j *Journal) rotate() error {
	j.syncMu.Lock()
	defer j.syncMu.Unlock()
	j.mu.Lock()
	spoiled := j.spoiled
	j.mu.Unlock()
	if j.current.size == 0 && !spoiled {
		return nil
	}
	if err := j.flush(); err != nil && !spoiled {
		return err
	}
	next, err := j.newSegment(j.current.number + 1)
	if err != nil {
		return err
	}
	old := j.current
	j.current = next
	j.current.cut = old.cut
	j.mu.Lock()
	j.spoiled = false
	j.mu.Unlock()
	j.noteOpen(spoiled)
	return old.file.Close()
}

// fail answers with err everyone whose event is not whole in the file, and
// takes the chain back to the last event that is: of the batch, n bytes were
// written. The next event of the chain is audit.recovered; it is written with
// the next append, in a new segment. fail returns the records that are whole.
func (j *Journal) fail(rs []record, n int, err error) []record {
	whole := 0
	for whole < len(rs) && rs[whole].end <= n {
		whole++
	}
	size := 0
	if whole > 0 {
		size = rs[whole-1].end
	}
	j.current.size += int64(size)
	j.current.torn += int64(n - size)
	j.current.cut += int64(n - size)

	j.mu.Lock()
	lost := append(rs[whole:len(rs):len(rs)], j.queue.records...)
	j.queue.bytes, j.queue.records = j.queue.bytes[:0], j.queue.records[:0]
	j.chain = j.written
	if whole > 0 {
		j.chain = rs[whole-1].at
	}
	j.noteRecovery(uint64(j.current.cut))
	j.mu.Unlock()
	for _, r := range lost {
		if r.answer != nil {
			r.answer <- err
		}
	}
	return rs[:whole]
}

// spoil marks the segment as one whose syncs mean nothing any more.
func (j *Journal) spoil() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = errSpoiled
	j.spoiled = true
	j.noteRecovery(0)
}

// noteRecovery queues audit.recovered about this writer. The caller holds mu.
func (j *Journal) noteRecovery(cut uint64) {
	j.encode(&audit.Event{
		Type: audit.AuditRecovered, OfReplica: j.self.Replica, OfBoot: j.self.Boot,
		OfSeq: j.chain.seq, CutBytes: cut,
	}, false, nil)
}
