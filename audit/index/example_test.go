package index_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal"
	"mcp-gateway/gateway"
)

func Example() {
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	journalDir := filepath.Join(state, "journal")
	j, err := journal.Open(journalDir, journal.Options{Replica: "gw-1"})
	if err != nil {
		panic(err)
	}
	defer j.Close(ctx)
	e := audit.Event{Type: audit.ToolRefused, Tool: "incident__create_ticket", Effect: gateway.Deny, Code: gateway.CodeForbidden}
	if _, err := j.Append(ctx, &e, audit.Process); err != nil {
		panic(err)
	}

	x, err := index.Open(filepath.Join(state, "index.db"), journalDir)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	rows, err := x.Query(ctx, audit.Filter{Effect: gateway.Deny})
	for _, r := range rows {
		fmt.Println(r.Type, r.Tool, r.Code)
	}
	fmt.Println(err)
	// Output:
	// tool.refused incident__create_ticket forbidden
	// <nil>
}
