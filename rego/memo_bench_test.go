package rego

import (
	"fmt"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/answer"
	"mcp-gateway/rego/parts"

	lru "github.com/hashicorp/golang-lru/v2"
)

// BenchmarkMemo: finding a kept answer, its key apart.
func BenchmarkMemo(b *testing.B) {
	kept, err := lru.New[memoKey, *answer.Answer](keptDecisions)
	if err != nil {
		b.Fatal(err)
	}
	m := &memo{kept: kept}
	reads := parts.All()
	var keys []memoKey
	for i := range 1000 {
		who := subject{digest: reads.Digest(&gateway.Principal{Subject: fmt.Sprint(i)})}
		k := m.key(&who, nil, nil, &Context{})
		k.action, k.revision = "tools/call", "2026-07-28"
		m.put(&k, &answer.Answer{Effect: gateway.Allow})
		keys = append(keys, k)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := m.get(&keys[i%1000]); !ok {
			b.Fatal("lost")
		}
	}
}

// Finding a kept answer allocates nothing.
func TestMemoAllocatesNothing(t *testing.T) {
	kept, err := lru.New[memoKey, *answer.Answer](8)
	if err != nil {
		t.Fatal(err)
	}
	m, k := &memo{kept: kept}, memoKey{action: "tools/call"}
	m.put(&k, &answer.Answer{})
	if n := testing.AllocsPerRun(100, func() { m.get(&k) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
