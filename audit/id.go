package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	stdhash "hash"
	"time"

	"mcp-gateway/audit/shape"
)

// ID is a UUID of version 7 (RFC 9562): it begins with the millisecond at which
// it was made. The zero ID means none.
type ID [16]byte

// Hash is a SHA-256 sum. The zero Hash means none.
type Hash [32]byte

// Sum is the first half of a SHA-256 sum. The zero Sum means none.
type Sum [16]byte

// Trace is a W3C trace id. The zero Trace means none.
type Trace [16]byte

// NewID makes an ID for the time. It is unguessable: 74 bits of it are random.
func NewID(t time.Time) ID {
	var id ID
	rand.Read(id[6:]) // never fails since Go 1.24
	ms := uint64(t.UnixMilli())
	binary.BigEndian.PutUint32(id[:4], uint32(ms>>16))
	binary.BigEndian.PutUint16(id[4:6], uint16(ms))
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Next makes an ID for the time that sorts after id, also when the clock was
// stepped back (RFC 9562, 6.2: the random part counts up).
func (id ID) Next(t time.Time) ID {
	if next := NewID(t); string(next[:6]) > string(id[:6]) {
		return next
	}
	low := binary.BigEndian.Uint64(id[8:])&(1<<62-1) + 1
	if low>>62 == 0 {
		binary.BigEndian.PutUint64(id[8:], low|1<<63)
		return id
	}
	return NewID(id.Time().Add(time.Millisecond))
}

// Time returns the millisecond in the ID.
func (id ID) Time() time.Time {
	ms := uint64(binary.BigEndian.Uint32(id[:4]))<<16 | uint64(binary.BigEndian.Uint16(id[4:6]))
	return time.UnixMilli(int64(ms)).UTC()
}

// IsZero says whether there is no ID.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the ID in its usual form of 36 characters.
func (id ID) String() string { return string(id.append(make([]byte, 0, 36))) }

func (id ID) append(dst []byte) []byte {
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// ParseID is the inverse of ID.String; it takes lower case only.
func ParseID(s string) (ID, bool) {
	var id ID
	if len(s) != 36 {
		return ID{}, false
	}
	at := 0
	for i := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			if s[at] != '-' {
				return ID{}, false
			}
			at++
		}
		if !shape.LowerHex(s[at : at+2]) {
			return ID{}, false
		}
		id[i] = unhex(s[at])<<4 | unhex(s[at+1])
		at += 2
	}
	return id, true
}

// String returns 64 hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero says whether there is no Hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns 32 hex digits.
func (t Trace) String() string { return hex.EncodeToString(t[:]) }

// ParseTrace returns the trace id of a W3C traceparent value, or the zero Trace
// when there is none of the form 00-<32 hex>-<16 hex>-<2 hex>.
func ParseTrace(traceparent string) Trace {
	var t Trace
	if len(traceparent) < 55 || traceparent[2] != '-' || traceparent[35] != '-' || !shape.LowerHex(traceparent[3:35]) {
		return t
	}
	for i := range t {
		t[i] = unhex(traceparent[3+2*i])<<4 | unhex(traceparent[4+2*i])
	}
	return t
}

// NameDigest makes one digest for an ordered list of names, so that an event can
// say which list was offered without holding it. The zero value is an empty list.
type NameDigest struct {
	n    uint32
	text []byte // names with their lengths before them, not yet digested
	h    stdhash.Hash
}

// Add appends a name to the list.
func (d *NameDigest) Add(name string) {
	if d.h == nil {
		d.h, d.text = sha256.New(), make([]byte, 0, 4<<10)
	}
	d.n++
	d.text = binary.BigEndian.AppendUint64(d.text, uint64(len(name)))
	if d.text = append(d.text, name...); len(d.text) > 3<<10 {
		d.h.Write(d.text)
		d.text = d.text[:0]
	}
}

// Sum returns how many names the list has, and its digest.
func (d *NameDigest) Sum() (n uint32, sum Hash) {
	if d.h == nil {
		return 0, sha256.Sum256(nil)
	}
	d.h.Write(d.text)
	d.text = d.text[:0]
	d.h.Sum(sum[:0])
	return d.n, sum
}

const hexDigits = "0123456789abcdef"

// unhex returns the value of a digit that shape.LowerHex has seen.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c - 'a' + 10
}
