package sse

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"time"

	"mcp-gateway/gateway"
)

// maxField is the longest id, name or retry time that is kept.
const maxField = 1024

// leastIdle is what may be read that is no data, however short events are to be.
const leastIdle = 1 << 20

// LargeEvent is from how many bytes on an event is a large one.
const LargeEvent = 256 << 10

// Reader reads events. Comments are skipped, and so are events without data,
// which servers send to keep a stream alive; their ids and retry times count. Of
// both together no more than an event's worth is read before one comes, so that
// nobody is kept reading for nothing.
type Reader struct {
	Name  string        // of the event that Next returned last; "" = message
	ID    string        // the last id that was sent, for Last-Event-ID; "" for none
	Retry time.Duration // the last retry time that was sent, at most an hour; 0 for none

	// Large is asked before more than LargeEvent bytes of one event are kept, perhaps
	// several times; its error ends the stream. nil asks nobody.
	Large func() error

	in     *bufio.Reader
	limit  int
	data   []byte // the event so far, and behind it the line so far
	begun  bool   // the byte order mark, if any, is behind us
	noLF   int    // so many bytes that are next hold no LF
	lineLF bool   // the last line ended with CR: an LF now belongs to it
}

// NewReader returns a Reader for events with at most limit bytes of data.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReader(r), limit: limit}
}

// Next returns the data of the next event that has any, in memory of its own.
// An event cut off by the end of the stream is not returned (WHATWG HTML,
// 9.2.6). Errors: io.EOF at the end, CodeTooLarge for an event or line beyond
// the limit, or for more than that before an event, else what reading gave.
func (r *Reader) Next() ([]byte, error) {
	r.data, r.Name = nil, ""
	has := false // the event has a data field; its lines end with LF in r.data
	idle := 0    // bytes read that are no data
	for {
		start := len(r.data)
		if err := r.line(start); err != nil {
			return nil, err
		}
		line := r.data[start:]
		if idle += len(line) + 1; idle > max(r.limit, leastIdle) {
			return nil, gateway.Fail(gateway.CodeTooLarge)
		}
		if len(line) == 0 {
			if n := len(r.data); has && n > 1 {
				return r.data[: n-1 : n-1], nil
			}
			r.data, has, r.Name = r.data[:0], false, ""
			continue
		}
		name, value := field(line)
		r.data = r.data[:start]
		if r.note(name, value); name == "data" {
			has = true
			idle -= len(value)                // the limit of data is another
			r.data = append(r.data, value...) // onto its own tail: moves down
			r.data = append(r.data, '\n')
		}
	}
}

// IsMessage reports whether the event that Next returned last carries a message of
// the protocol: one without a name, or called so. Others are a server's own affair.
func (r *Reader) IsMessage() bool { return r.Name == "" || r.Name == "message" }

// field splits a line into the name of its field and the value. A comment has
// the name "".
func field(line []byte) (name string, value []byte) {
	before, value, _ := bytes.Cut(line, []byte{':'})
	switch string(before) { // without a copy of what may be a long line
	case "data":
		name = "data"
	case "event":
		name = "event"
	case "id":
		name = "id"
	case "retry":
		name = "retry"
	}
	return name, bytes.TrimPrefix(value, []byte{' '})
}

// note keeps what a field says about the event or the stream.
func (r *Reader) note(name string, value []byte) {
	switch {
	case len(value) > maxField:
	case name == "event":
		r.Name = string(value)
	case name == "id" && bytes.IndexByte(value, 0) < 0:
		r.ID = string(value)
	case name == "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 32); err == nil {
			r.Retry = min(time.Duration(ms)*time.Millisecond, time.Hour)
		}
	}
}

// line appends the next line to r.data, without its CR, LF or CRLF.
func (r *Reader) line(start int) error {
	for {
		part, err := r.part()
		if err != nil {
			return err
		}
		end := r.lineEnd(part)
		text := part
		if end >= 0 {
			text = part[:end]
		}
		if len(r.data)+len(text) > r.limit+len("data: ") {
			return gateway.Fail(gateway.CodeTooLarge)
		}
		if r.Large != nil && len(r.data)+len(text) > LargeEvent {
			if err := r.Large(); err != nil {
				return err
			}
		}
		r.data = append(r.data, text...)
		if end < 0 {
			r.discard(len(part))
			continue
		}
		r.lineLF = part[end] == '\r'
		r.discard(end + 1)
		r.trimMark(start)
		return nil
	}
}

// part returns the bytes that can be had without waiting for more, at least one.
func (r *Reader) part() ([]byte, error) {
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		part, err := r.in.Peek(r.in.Buffered())
		if !r.lineLF || part[0] != '\n' {
			r.lineLF = false
			return part, err
		}
		r.lineLF = false
		r.discard(1)
	}
}

// lineEnd returns where in the part the line ends, or -1. How far there is no LF is
// remembered, so that lines that end with CR are not searched again for each.
func (r *Reader) lineEnd(part []byte) int {
	lf := bytes.IndexByte(part[r.noLF:], '\n')
	if lf < 0 {
		r.noLF = len(part)
		return bytes.IndexByte(part, '\r')
	}
	r.noLF += lf
	if cr := bytes.IndexByte(part[:r.noLF], '\r'); cr >= 0 {
		return cr
	}
	return r.noLF
}

func (r *Reader) discard(n int) {
	_, _ = r.in.Discard(n) // they are in the buffer
	r.noLF = max(0, r.noLF-n)
}

// trimMark cuts a byte order mark off the first line of the stream.
func (r *Reader) trimMark(start int) {
	if r.begun {
		return
	}
	r.begun = true
	if mark := "\xEF\xBB\xBF"; bytes.HasPrefix(r.data[start:], []byte(mark)) {
		r.data = append(r.data[:start], r.data[start+len(mark):]...)
	}
}
