package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// caller sends one request again and again on one connection, and spends as
// little as it can: it shares the processors with what it measures.
type caller struct {
	request *request
	raw     []byte // as this caller sends it, where the request is one
	conn    net.Conn
	in      *bufio.Reader
	body    []byte // of the last answer
	good    []byte // the body that was judged last, and is good
	took    []time.Duration
}

// dial connects a caller and makes its first call, which is not measured.
func dial(address string, r *request, raw []byte) (*caller, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	c := &caller{request: r, raw: raw, conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}
	if err := c.call(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// call makes one exchange. An answer that differs from the last good one is
// judged anew.
func (c *caller) call() error {
	raw := c.raw
	if all := c.request.many; all != nil {
		raw = all[int(c.request.turn.Add(1))%len(all)]
	}
	if _, err := c.conn.Write(raw); err != nil {
		return err
	}
	status, err := c.read()
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if status == 200 && bytes.Equal(c.body, c.good) {
		return nil
	}
	if err := c.request.judge(status, c.body); err != nil {
		return err
	}
	c.good = append(c.good[:0], c.body...)
	return nil
}

// read reads one response into body.
func (c *caller) read() (status int, err error) {
	c.body = c.body[:0]
	length, chunked := 0, false
	for line := 0; ; line++ {
		text, err := c.in.ReadSlice('\n')
		if err != nil {
			return status, err
		}
		name, value, _ := bytes.Cut(bytes.TrimRight(text, "\r\n"), []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case line == 0 && len(name) > 11: // HTTP/1.1 200 OK
			status, err = strconv.Atoi(string(name[9:12]))
		case len(name) == 0 && chunked:
			return status, c.readChunks()
		case len(name) == 0:
			return status, c.readPart(length)
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, err = strconv.Atoi(string(value))
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
		if err != nil {
			return status, err
		}
	}
}

func (c *caller) readChunks() error {
	for {
		text, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 16, 32)
		if err != nil {
			return err
		}
		if err := c.readPart(int(size)); err != nil {
			return err
		}
		if _, err := c.in.Discard(len("\r\n")); err != nil || size == 0 {
			return err
		}
	}
}

// readPart appends the next n bytes to body.
func (c *caller) readPart(n int) error {
	from := len(c.body)
	if cap(c.body) < from+n {
		c.body = append(make([]byte, 0, 2*(from+n)), c.body...)
	}
	c.body = c.body[:from+n]
	_, err := io.ReadFull(c.in, c.body[from:])
	return err
}

// crowd is some callers that call at the same time.
type crowd []*caller

func gather(address string, r *request, n int) (crowd, error) {
	var all crowd
	for i := range n {
		c, err := dial(address, r, r.by(i))
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all = append(all, c)
	}
	return all, nil
}

func (all crowd) close() error {
	var errs error
	for _, c := range all {
		errs = errors.Join(errs, c.conn.Close())
	}
	return errs
}

// run calls for a time and returns how long that was until the last answer.
func (all crowd) run(ctx context.Context, d time.Duration) (time.Duration, error) {
	began := time.Now()
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, c := range all {
		c.took = c.took[:0]
		wait.Go(func() {
			for now := time.Now(); errs[i] == nil && now.Sub(began) < d && ctx.Err() == nil; {
				errs[i] = c.call()
				done := time.Now()
				c.took = append(c.took, done.Sub(now))
				now = done
			}
		})
	}
	wait.Wait()
	return time.Since(began), errors.Join(append(errs, ctx.Err())...)
}

// took is how long each call took.
func (all crowd) took() []time.Duration {
	var took []time.Duration
	for _, c := range all {
		took = append(took, c.took...)
	}
	return took
}
