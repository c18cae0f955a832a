package lists

import "sync"

// keep is the largest buffer that is used again, in bytes. A rare larger list
// should not hold its memory for ever.
const keep = 1 << 20

// buffers lends what answers of many parts are put together in. A list of hundreds of
// tools takes hundreds of kilobytes: made anew for each, they would be most of its cost.
type buffers struct{ pool sync.Pool }

// take returns an empty buffer with room for size bytes, and what gives it back
// when its contents are needed no more.
func (b *buffers) take(size int) (empty []byte, spent func()) {
	held, ok := b.pool.Get().(*[]byte)
	if !ok || cap(*held) < size {
		held = new(make([]byte, 0, size))
	}
	return (*held)[:0], func() {
		if cap(*held) <= keep {
			b.pool.Put(held)
		}
	}
}
