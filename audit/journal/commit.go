package journal

import "runtime"

// start begins the two goroutines: the committer writes what is queued, in one
// write however many wait; the syncer makes what was written durable, in one
// fsync however many wait. They are two so that an event of class process never
// waits for a disk. They, and not the callers, do the I/O, so that a caller's
// deadline holds even when the disk hangs.
func (j *Journal) start() {
	go func() {
		defer close(j.syncKick)
		for range j.kick {
			// Whoever is about to append comes into the same write: it costs more than
			// all else that is done for an event.
			runtime.Gosched()
			for j.commit() {
			}
		}
		for j.commit() { // what came between the last signal and the close
		}
	}()
	go func() {
		defer close(j.ended)
		for range j.syncKick {
			// Those whom the last sync released are about to come back. Let them
			// in before the next one: or they and those who came during it would
			// take turns, each sync serving half of them.
			runtime.Gosched()
			j.sync()
		}
		j.sync()
	}()
}

// commit writes the queue; false if it was empty or the write failed. After a
// failure audit.recovered waits in the queue: the next append tries it.
func (j *Journal) commit() bool {
	j.mu.Lock()
	b := j.queue
	j.queue = batch{j.spare.bytes[:0], j.spare.records[:0]}
	j.spare = batch{}
	j.mu.Unlock()
	if len(b.records) == 0 {
		j.recycle(b)
		return false
	}
	n, err := j.write(b.bytes)
	written := b.records
	if err != nil {
		written = j.fail(b.records, n, err)
	}
	j.mu.Lock()
	j.broken = err
	j.mu.Unlock()
	if len(written) > 0 {
		j.written = written[len(written)-1].at
	}
	j.open.take(written)
	j.noteHeads(written)
	j.release(written)
	j.recycle(b)
	return err == nil
}

// recycle keeps the buffers of a batch for the next but one, unless a burst has
// made them large.
func (j *Journal) recycle(b batch) {
	clear(b.records)
	j.mu.Lock()
	if cap(b.bytes) <= backlogBytes/8 {
		j.spare = b
	}
	j.mu.Unlock()
}

// release answers those for whom a write is enough and hands the others to the
// syncer.
func (j *Journal) release(rs []record) {
	disk := false
	for _, r := range rs {
		if !r.disk && r.answer != nil {
			r.answer <- nil
		}
		disk = disk || r.disk
	}
	if !disk {
		return
	}
	j.mu.Lock()
	for _, r := range rs {
		if r.disk && r.answer != nil {
			j.unsynced = append(j.unsynced, r)
		}
	}
	j.mu.Unlock()
	wake(j.syncKick)
}

// sync makes durable whatever was written before it, if anyone waits for that.
func (j *Journal) sync() {
	j.syncMu.Lock()
	defer j.syncMu.Unlock()
	j.mu.Lock()
	idle := len(j.unsynced) == 0
	j.mu.Unlock()
	if !idle {
		j.flush() // its error is the answer of those who wait
	}
}

// flush syncs the segment and answers those who wait for that. The caller holds
// syncMu.
func (j *Journal) flush() error {
	j.mu.Lock()
	waiting, spoiled := j.unsynced, j.spoiled
	j.unsynced = j.answered[:0]
	j.mu.Unlock()
	err := errSpoiled
	if !spoiled {
		j.fsyncs++
		if err = j.current.file.Sync(); err != nil {
			j.spoil()
		}
	}
	for _, r := range waiting {
		r.answer <- err
	}
	clear(waiting)
	j.answered = waiting
	return err
}
