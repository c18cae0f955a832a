package web

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/sse"
	"mcp-gateway/upstream/wire"
)

// listenEvent bounds one event of the listening stream.
const listenEvent = 64 << 10

// listen keeps a subscription to changes of the tool list open for as long as
// the meeting holds. A server that refuses it is left in peace: its list is
// fetched by age.
func (l *Link) listen(ctx context.Context, m *meeting) {
	defer l.work.Done()
	for broken := 1; ctx.Err() == nil; broken++ {
		began := time.Now()
		if l.hear(ctx, m) != nil {
			return
		}
		if time.Since(began) > time.Minute {
			broken = 1
		}
		timer := time.NewTimer(l.opts.Backoff.After(broken))
		select {
		case <-ctx.Done():
		case <-timer.C:
			l.opts.OnChanged() // what was said meanwhile is lost
		}
		timer.Stop()
	}
}

// hear reads one subscription to its end; an error means that another one is
// not worth the try.
func (l *Link) hear(ctx context.Context, m *meeting) error {
	var touched atomic.Bool
	out, id := wire.Listen(), l.lastID.Add(1)
	resp, err := l.post(ctx, l.headers(m.peer.Revision, out), m.envelope.Request(id, out), &touched)
	if err != nil {
		return nil // the next exchange will tell whether it is down
	}
	defer func() { _ = resp.Body.Close() }()
	if kind, err := mediaType(resp); err != nil || kind != mediaStream || resp.StatusCode != http.StatusOK {
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonMediaType)
	}
	events := sse.NewReader(resp.Body, listenEvent)
	for {
		data, err := events.Next()
		if err != nil {
			return nil
		}
		message, err := l.parse(data, listenEvent)
		switch {
		case err != nil:
			return err
		case message.Method != "":
			l.note(message)
		case message.Error != nil:
			return errors.New("listening was refused")
		case wire.Is(message.ID, id):
			return nil
		}
	}
}
