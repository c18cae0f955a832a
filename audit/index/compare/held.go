package compare

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"

	"mcp-gateway/audit/index/file"
	"mcp-gateway/audit/journal/folder"
)

// Held is what an index holds, by writer. A nil one holds nothing and is not compared.
type Held map[folder.Writer]*events

// events are those of one writer: rows of their own, and ends of others' rows.
type events struct {
	rows, ends seqs
	last       uint64
	twice      uint64       // the first event that has two rows; 0 = none
	read       folder.Place // how far the index has read
}

// Events returns how many events an index holds.
func (h Held) Events() (n uint64) {
	for _, e := range h {
		n += e.rows.count + e.ends.count
	}
	return n
}

// seqs is a set of sequences, a bit each.
type seqs struct {
	blocks map[uint64]*[64]uint64
	count  uint64
}

const blockBits = 64 * 64

// add says whether the sequence is new.
func (s *seqs) add(seq uint64) bool {
	if s.blocks == nil {
		s.blocks = map[uint64]*[64]uint64{}
	}
	b := s.blocks[seq/blockBits]
	if b == nil {
		b = new([64]uint64)
		s.blocks[seq/blockBits] = b
	}
	word, bit := &b[seq%blockBits/64], uint64(1)<<(seq%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	s.count++
	return true
}

func (s *seqs) has(seq uint64) bool {
	b := s.blocks[seq/blockBits]
	return b != nil && b[seq%blockBits/64]&(1<<(seq%64)) != 0
}

// Read returns what the index at path holds, as of one moment. It is nil where there is
// no index, or one that is damaged or of another version than this: such a one is built
// anew before it answers. Nothing is written.
func Read(ctx context.Context, path string, version int) (Held, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	q := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)"}, "mode": {"ro"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	held, err := read(ctx, db, version)
	if file.Damaged(err) {
		return nil, nil
	}
	return held, err
}

func read(ctx context.Context, db *sql.DB, version int) (Held, error) {
	tx, err := db.BeginTx(ctx, nil) // one moment of it, while a gateway goes on
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var is int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil || is != version {
		return nil, err
	}
	held, by := Held{}, map[int64]*events{}
	rows, err := tx.QueryContext(ctx, "SELECT id, replica, boot, segment, offset FROM writer")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var w folder.Writer
		e := &events{}
		if err := rows.Scan(&id, &w.Replica, &w.Boot, &e.read.Segment, &e.read.Offset); err != nil {
			return nil, err
		}
		held[w], by[id] = e, e
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return held, fill(ctx, tx, by)
}

// fill takes the events that the rows are of.
func fill(ctx context.Context, tx *sql.Tx, by map[int64]*events) error {
	rows, err := tx.QueryContext(ctx, "SELECT writer, seq, coalesce(end_writer, 0), coalesce(end_seq, 0) FROM event")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var writer, seq, endWriter, endSeq int64
		if err := rows.Scan(&writer, &seq, &endWriter, &endSeq); err != nil {
			return err
		}
		if e := by[writer]; e != nil {
			e.last = max(e.last, uint64(seq))
			if !e.rows.add(uint64(seq)) && e.twice == 0 {
				e.twice = uint64(seq)
			}
		}
		if e := by[endWriter]; e != nil {
			e.last = max(e.last, uint64(endSeq))
			e.ends.add(uint64(endSeq))
		}
	}
	return rows.Err()
}
