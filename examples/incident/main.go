package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"mcp-gateway/examples/incident/desk"
)

func main() {
	var o desk.Options
	flag.StringVar(&o.Record, "record", "", "append a line to this `file` for each executed tool call: the tool and the ticket, or -")
	flag.StringVar(&o.Variant, "variant-file", "", "serve a changed definition of list_recent_deployments while this `file` exists")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := desk.Serve(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "incident:", err)
		os.Exit(1)
	}
}
