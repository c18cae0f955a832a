package journal_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/verify"
)

func Example() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	j, err := journal.Open(dir, journal.Options{Replica: "gw-1", Build: "v0.1.0"})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	e := audit.Event{Type: audit.ToolDecided, Action: audit.NewID(time.Now()), Tool: "incident__get_service_status"}
	pos, err := j.Append(ctx, &e, audit.Disk) // no position, no call
	fmt.Println(pos.Replica, pos.Boot, pos.Seq, err)
	fmt.Println(j.Close(ctx))
	report, err := verify.Journal(dir, verify.Against{})
	fmt.Println(report.Events, report.OK(), err)
	// Output:
	// gw-1 1 2 <nil>
	// <nil>
	// 3 true <nil>
}
