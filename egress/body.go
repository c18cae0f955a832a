package egress

import (
	"fmt"
	"io"
	"math/bits"
	"sync"

	"mcp-gateway/gateway"
)

// Bodies reads bodies that may be large, and often. What arrives is kept in pieces that
// are used again, and a small body gets memory of its own once all of it is there, a
// large one such as is used again too: what is refused in the end leaves nothing to clear
// away. The zero value is ready; it must not be copied.
type Bodies struct{ pieces, wholes sync.Pool }

const (
	pieceSize = 64 << 10
	// LargeBody is from how many bytes on a body is a large one.
	LargeBody = 4 * pieceSize
)

// Read is ReadBody. Before it keeps more than LargeBody bytes it asks large, whose error
// ends it; nil asks nobody. came is how many bytes came, whatever became of them.
//
// The memory of a large body is used again once spent, which is nil for any other, is
// called: what is kept of such a body must be copied before.
func (b *Bodies) Read(r io.Reader, limit int, large func() error) (body []byte, came int, spent func(), err error) {
	var pieces []*[pieceSize]byte
	defer func() {
		for _, p := range pieces {
			b.pieces.Put(p)
		}
	}()
	for ended := false; !ended; {
		if came >= LargeBody && large != nil {
			if err := large(); err != nil {
				return nil, came, nil, err
			}
			large = nil
		}
		p, ok := b.pieces.Get().(*[pieceSize]byte)
		if !ok {
			p = new([pieceSize]byte)
		}
		pieces = append(pieces, p)
		n := 0
		for n < len(p) && err == nil {
			var more int
			more, err = r.Read(p[n:])
			n += more
		}
		came += n
		switch ended = err == io.EOF; {
		case came > max(limit, 0):
			return nil, came, nil, gateway.Because(gateway.CodeTooLarge, fmt.Errorf("body of more than %d bytes", max(limit, 0)))
		case err != nil && !ended:
			return nil, came, nil, err
		}
	}
	body, spent = b.room(came)
	for _, p := range pieces {
		body = append(body, p[:min(len(p), came-len(body))]...)
	}
	return body, came, spent, nil
}

// room returns memory for a body of n bytes.
func (b *Bodies) room(n int) (body []byte, spent func()) {
	if n <= LargeBody {
		return make([]byte, 0, n), nil
	}
	whole, ok := b.wholes.Get().(*[]byte)
	if !ok || cap(*whole) < n {
		fresh := make([]byte, 0, 1<<bits.Len(uint(n)))
		whole = &fresh
	}
	return (*whole)[:0], func() { b.wholes.Put(whole) }
}
