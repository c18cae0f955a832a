package history_test

import (
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/history"
	"mcp-gateway/rego"
)

func TestCounts(t *testing.T) {
	b, err := history.New()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	one, two := gateway.ItemID{Upstream: "up", Name: "one"}, gateway.ItemID{Upstream: "up", Name: "two"}
	b.Called("alice", one, gateway.Read, start)
	b.Called("alice", two, gateway.Write, start.Add(30*time.Minute))
	b.Called("alice", one, gateway.Destructive, start.Add(59*time.Minute))
	b.Refused("alice", start.Add(59*time.Minute))
	b.Called("bob", one, gateway.Read, start.Add(59*time.Minute))
	for at, want := range map[time.Duration]rego.History{
		0:                 {CallsMinute: 1, CallsHour: 1, ToolCallsHour: 1},
		60 * time.Minute:  {CallsMinute: 1, CallsHour: 3, ToolCallsHour: 2, WritesHour: 2, DestructiveHour: 1, RefusedHour: 1},
		61 * time.Minute:  {CallsHour: 2, ToolCallsHour: 1, WritesHour: 2, DestructiveHour: 1, RefusedHour: 1},
		120 * time.Minute: {},
	} {
		if got := *b.Of("alice", one, start.Add(at)); got != want {
			t.Errorf("after %v: %+v, want %+v", at, got, want)
		}
	}
	if got := *b.Of("carol", one, start); got != (rego.History{}) {
		t.Errorf("a stranger has %+v", got)
	}
	b.Called("alice", one, gateway.Read, start.Add(61*time.Minute)) // takes the place of the first minute
	if got := b.Of("alice", one, start.Add(61*time.Minute)); got.CallsHour != 3 || got.CallsMinute != 1 {
		t.Errorf("%+v", got)
	}
}

func TestTheBookIsBounded(t *testing.T) {
	b, err := history.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	for i := range 5000 {
		b.Called(fmt.Sprint(i), gateway.ItemID{}, gateway.Read, now)
	}
	if b.Of("0", gateway.ItemID{}, now).CallsHour != 0 || b.Of("4999", gateway.ItemID{}, now).CallsHour != 1 {
		t.Error("who called longest ago is the one that is forgotten")
	}
}
