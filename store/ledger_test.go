package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
)

func action(id string, scope *receipt.Scope) *receipt.Entry {
	return &receipt.Entry{
		Action: id, Attempt: 1, Scope: scope, Source: receipt.KeyOfHost, Sealed: "sealed", Salt: receipt.Salt{1},
		Arguments: "sha256:00", Item: gateway.ItemID{Upstream: "desk", Name: "open"}, Principal: "k:00", Tenant: "t",
		State: gateway.OutcomeInFlight, Writer: "r-000001", Draft: []byte("{}"), Began: morning,
	}
}

func settled(id string, state gateway.Outcome) *receipt.Settlement {
	return &receipt.Settlement{
		Action: id, Attempt: 1, From: gateway.OutcomeInFlight, State: state, At: morning.Add(time.Second), ExternalID: "T-1", Result: "sealed",
		Decided: receipt.EventRef{Replica: "r", Boot: 1, Seq: 7, Hash: "ab"}, Finished: receipt.EventRef{Replica: "r", Boot: 1, Seq: 8, Hash: "cd"},
		Receipt: receipt.Kept{Action: id, At: morning, Outcome: state, Digest: gateway.Digest("sha256:" + id + string(state)), Envelope: []byte("{}")},
	}
}

func TestLedgerKeepsWhatItWasGiven(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	e := action("a", &receipt.Scope{7})
	if holder, err := s.Begin(t.Context(), e); holder != nil || err != nil {
		t.Fatal(holder, err)
	}
	got, err := s.Holder(t.Context(), receipt.Scope{7})
	if err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v %v, want %+v", got, err, e)
	}
	done := settled("a", gateway.OutcomeCommitted)
	if err := s.Settle(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	got, err = s.Action(t.Context(), "a")
	if err != nil || got.State != done.State || got.ExternalID != "T-1" || got.Decided != done.Decided || got.Finished != done.Finished || got.Result != "sealed" {
		t.Errorf("%+v %v", got, err)
	}
	kept, err := s.Receipts(t.Context(), "a", 10)
	if err != nil || len(kept) != 1 || !reflect.DeepEqual(kept[0], done.Receipt) {
		t.Errorf("%+v %v", kept, err)
	}
	if _, err := s.Action(t.Context(), "b"); !errors.Is(err, receipt.ErrNoAction) {
		t.Error(err)
	}
}

func TestLedgerChangesByComparison(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	scope := &receipt.Scope{7}
	if _, err := s.Begin(t.Context(), action("a", scope)); err != nil {
		t.Fatal(err)
	}
	if holder, err := s.Begin(t.Context(), action("b", scope)); err != nil || holder == nil || holder.Action != "a" {
		t.Errorf("a taken key: %+v %v", holder, err)
	}
	if err := s.Settle(t.Context(), settled("a", gateway.OutcomeUnknown)); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"settled twice":         func() error { return s.Settle(t.Context(), settled("a", gateway.OutcomeFailed)) },
		"resumed from another":  func() error { return s.Resume(t.Context(), next("a", 2), gateway.OutcomeAwaiting, morning) },
		"an attempt too far":    func() error { return s.Resume(t.Context(), next("a", 3), gateway.OutcomeUnknown, morning) },
		"an action of nobody's": func() error { return s.Settle(t.Context(), settled("z", gateway.OutcomeFailed)) },
	} {
		if err := do(); !errors.Is(err, receipt.ErrRaced) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Resume(t.Context(), next("a", 2), gateway.OutcomeUnknown, morning); err != nil {
		t.Error(err)
	}
	// What was never executed leaves its key to others; what is unknown never does.
	if n, err := s.Forget(t.Context(), morning.Add(time.Hour)); n != 0 || err != nil {
		t.Error(n, err)
	}
	freed := settled("a", gateway.OutcomeFailed)
	freed.Attempt, freed.Frees, freed.Receipt = 2, true, receipt.Kept{}
	if err := s.Settle(t.Context(), freed); err != nil {
		t.Fatal(err)
	}
	if holder, err := s.Begin(t.Context(), action("b", scope)); holder != nil || err != nil {
		t.Errorf("a free key: %+v %v", holder, err)
	}
	if err := s.Settle(t.Context(), settled("b", gateway.OutcomeCommitted)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Forget(t.Context(), morning.Add(time.Hour)); n != 1 || err != nil {
		t.Error(n, err)
	}
	all, err := s.Actions(t.Context(), receipt.Filter{States: []gateway.Outcome{gateway.OutcomeCommitted, gateway.OutcomeFailed}})
	if err != nil || len(all) != 2 {
		t.Errorf("%+v %v", all, err)
	}
}

func next(id string, attempt int) *receipt.Entry {
	e := action(id, nil)
	e.Attempt = attempt
	return e
}

// Many calls of many processes use the same keys: each key is entered once.
func TestTwoProcessesEnterAKeyOnce(t *testing.T) {
	const keys = 40
	if path := os.Getenv(helperVar); path != "" { // this is one of the others
		fmt.Println("entered", enterAll(t, path, keys))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), Name)
	open(t, path)
	var wait sync.WaitGroup
	outputs := make([][]byte, 2)
	for i := range outputs {
		wait.Go(func() {
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestTwoProcessesEnterAKeyOnce$", "-test.v")
			cmd.Env = append(os.Environ(), helperVar+"="+path)
			var err error
			if outputs[i], err = cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, outputs[i])
			}
		})
	}
	total := enterAll(t, path, keys)
	wait.Wait()
	for _, out := range outputs {
		var n int
		_, line, _ := bytes.Cut(out, []byte("entered "))
		if _, err := fmt.Sscan(strings.Fields(string(line))[0], &n); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		total += n
	}
	if total != keys {
		t.Errorf("%d entries for %d keys", total, keys)
	}
}

// enterAll enters every key four times at once and counts those that it got.
func enterAll(t *testing.T, path string, keys int) int {
	s := open(t, path)
	var mu sync.Mutex
	got := 0
	var wait sync.WaitGroup
	for i := range keys {
		for try := range 4 {
			wait.Go(func() {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), i, try)
				holder, err := s.Begin(t.Context(), action(id, &receipt.Scope{byte(i)}))
				if err != nil {
					t.Error(err)
				}
				if holder == nil && err == nil {
					mu.Lock()
					got++
					mu.Unlock()
				}
			})
		}
	}
	wait.Wait()
	return got
}

// A write pays one commit before it is sent; many at a time share it.
func BenchmarkBegin(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), Name))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, parallel := range []int{1, 64} {
		b.Run(fmt.Sprint(parallel), func(b *testing.B) {
			b.SetParallelism(parallel)
			var mu sync.Mutex
			n := 0
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					mu.Lock()
					n++
					id := fmt.Sprintf("%d-%d-%d", parallel, b.N, n)
					mu.Unlock()
					if _, err := s.Begin(b.Context(), action(id, nil)); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
