package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// Figures of parts, taken in this process.
const (
	recheck   = "re-check of a list" // of catalogSize definitions
	unchanged = "unchanged"
	full      = "full digest"
	contexts  = "authorization contexts"
	eventless = "tools/list without its event"
)

// reviewed measures what lists cost that nobody but this process can tell apart: the
// re-check of the same definitions, what is kept for one principal, and of a warm list
// what is left without its event, whose own cost is taken from it.
func (s *stage) reviewed(ctx context.Context, dir string, rows []row) ([]row, error) {
	raw, err := listed(ctx, "http://"+s.upstream.Serve+fmt.Sprintf("/%s/%d", catalogServer, catalogSize))
	if err != nil {
		return nil, err
	}
	var tools [][]byte
	for tool := range protocol.Elements(raw) {
		tools = append(tools, tool)
	}
	known := registry.New(registry.Options{})
	if err := publish(known, tools); err != nil {
		return nil, err
	}
	same := cpuEach(2000, func() { err = errors.Join(err, publish(known, tools)) })
	anew := cpuEach(100, func() {
		for _, tool := range tools {
			_ = protocol.DigestOf(tool)
		}
	})
	kept, viewErr := bytesEach()
	if err = errors.Join(err, viewErr); err != nil {
		return nil, err
	}
	more := []row{
		{recheck, 1, unchanged, figures{cpu: same}}, {recheck, 1, full, figures{cpu: anew}},
		{contexts, 1, gateway, figures{bytes: kept}},
	}
	bare, err := withoutEvents(ctx, dir, rows)
	return append(more, bare...), err
}

// withoutEvents are the rows of lists, the gateway's less what its events cost it: as
// many at a time as there were.
func withoutEvents(ctx context.Context, dir string, rows []row) (more []row, err error) {
	for _, r := range rows {
		if r.workload != protocol.MethodToolsList {
			continue
		}
		r.workload = eventless
		if r.target == gateway {
			event, err := eventCost(ctx, filepath.Join(dir, fmt.Sprint("events-", r.concurrency)), r.concurrency)
			if err != nil {
				return nil, err
			}
			r.cpu = max(0, r.cpu-event)
		}
		more = append(more, r)
	}
	return more, nil
}

func publish(r *registry.Registry, tools [][]byte) error {
	_, err := r.Publish("up", registry.Listing{Tools: tools})
	return err
}

// cpuEach is the CPU time of this process for one of n runs, in µs.
func cpuEach(n int, run func()) float64 {
	run()
	before := used()
	for range n {
		run()
	}
	return float64((used().CPU - before.CPU).Nanoseconds()) / float64(n) / 1000
}

// bytesEach is what a view of catalogSize tools takes in the cache, over many contexts
// that all see something else.
func bytesEach() (float64, error) {
	const n = 50_000
	cache, err := views.NewCache(views.Options{Size: n})
	if err != nil {
		return 0, err
	}
	visible := make([]bool, catalogSize)
	before := heap()
	for i := range uint64(n) {
		visible[i%catalogSize] = !visible[i%catalogSize]
		cache.Put(sha256.Sum256(binary.BigEndian.AppendUint64(nil, i)), views.New(1, "policy", visible))
	}
	each := float64(heap()-before) / float64(cache.Len())
	runtime.KeepAlive(cache)
	return each, nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// eventCost is the CPU in µs of putting the event of one list on record, of n at a time.
// The digest of what was offered is made once for all who see the same.
func eventCost(ctx context.Context, dir string, n int) (cost float64, err error) {
	j, err := journal.Open(dir, journal.Options{Replica: "bench", Build: "0", Now: time.Now})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, j.Close(ctx)) }()
	var offered audit.NameDigest
	for i := range catalogSize {
		offered.Add(fmt.Sprintf("catalog__tool_%d_of_many", i))
	}
	listed := audit.Event{Type: audit.ToolsListed, Method: protocol.MethodToolsList, Transport: audit.HTTP, Era: audit.Modern, Upstream: "catalog",
		Principal: "0123456789abcdef:0123456789abcdef0123456789abcdef", Tenant: "bench", Revision: protocol.Revision20260728}
	listed.Offered, listed.OfferedDigest = offered.Sum()
	return many(n, max(1, measured/n), func(int, int) error {
		e := listed
		_, err := j.Append(ctx, &e, audit.Process)
		return err
	})
}
