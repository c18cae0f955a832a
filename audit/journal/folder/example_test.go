package folder_test

import (
	"context"
	"fmt"
	"os"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
)

func Example() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	j, err := journal.Open(dir, journal.Options{Replica: "gw-1"})
	if err != nil {
		panic(err)
	}
	defer j.Close(ctx)

	cursor := folder.Cursor{} // kept by the reader, from one reading to the next
	tell := func(e folder.Entry) error {
		fmt.Println(e.Writer, e.Event.Seq, e.Event.Type)
		return nil
	}
	fmt.Println(folder.Read(ctx, dir, cursor, tell))
	if _, err := j.Append(ctx, &audit.Event{Type: audit.PolicyLoaded}, audit.Process); err != nil {
		panic(err)
	}
	fmt.Println(folder.Read(ctx, dir, cursor, tell))
	// Output:
	// gw-1-000001 1 gateway.started
	// <nil>
	// gw-1-000001 2 policy.loaded
	// <nil>
}
