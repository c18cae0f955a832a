package door

import (
	"errors"
	"io"
	"net"
	"net/http"
)

// outgoing is an answer that is sent in parts. Its memory is used again.
type outgoing struct {
	holds bool   // what is written now waits
	head  []byte // what does: the header, and the first bytes of the body
	all   [][]byte
	body  net.Buffers // the end of all that net/http has not taken yet
	rest  net.Buffers // the end of all that is not sent yet
}

// Send sends the body of an answer whose Content-Length is set, in the parts that it
// is made of. Where the host is reached over TCP directly, they leave in one system
// call with the header, and none is copied before; net/http by itself would send the
// first 4 KiB apart, which wakes the host twice. Parts are only read. Errors are those
// of the connection.
func Send(w http.ResponseWriter, r *http.Request, first []byte, rest [][]byte) error {
	c, _ := r.Context().Value(connKey{}).(*conn)
	to, ok := w.(io.ReaderFrom)
	if c == nil || !c.direct || !ok {
		_, err := w.Write(first)
		for i := 0; err == nil && i < len(rest); i++ {
			_, err = w.Write(rest[i])
		}
		return err
	}
	o := &c.out
	o.all = append(append(append(o.all[:0], nil), first), rest...) // nil: room for the header
	o.holds, o.body = true, o.all[1:]
	_, err := to.ReadFrom(&o.body)
	err = errors.Join(err, c.letGo())
	clear(o.all)
	return err
}

// Write implements net.Conn. While Send is at work nobody else writes: the request has
// been read, and its handler has not returned.
func (c *conn) Write(p []byte) (int, error) {
	if !c.out.holds {
		return c.Conn.Write(p)
	}
	c.out.head = append(c.out.head, p...)
	return len(p), nil
}

// ReadFrom implements io.ReaderFrom: net/http asks for it once the header and the
// first bytes of the body are written. What of the body it took is gone from the
// beginning of all, and the header stands there in its place.
func (c *conn) ReadFrom(src io.Reader) (int64, error) {
	o := &c.out
	if src != io.Reader(&o.body) || !o.holds {
		return io.Copy(struct{ io.Writer }{c}, src)
	}
	o.rest = o.all[len(o.all)-len(o.body)-1:]
	o.rest[0] = o.head
	head := int64(len(o.head))
	o.holds, o.head = false, o.head[:0]
	n, err := o.rest.WriteTo(c.Conn)
	return max(0, n-head), err
}

// letGo sends what still waits, of an answer that was too short to be sent in parts.
func (c *conn) letGo() error {
	held := c.out.head
	c.out.holds, c.out.head = false, held[:0]
	if len(held) == 0 {
		return nil
	}
	_, err := c.Conn.Write(held)
	return err
}
