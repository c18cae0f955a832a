package demo

import (
	"context"
	"fmt"

	"mcp-gateway/protocol"
)

// eras are revisions of the protocol.
func eras() []plot {
	return []plot{
		{group: "compatibility", id: "modern", title: "A host of revision 2026-07-28: no session, each request for itself",
			want: "speaks 2026-07-28; result", play: modernHost},
		{group: "compatibility", id: "legacy", title: "A host of revision 2025-11-25: it initializes, and calls in its session",
			want: "speaks 2025-11-25 in a session; result", play: legacyHost},
		{group: "compatibility", id: "unsupported_version", title: "A host of a revision that is none",
			want: "HTTP 400 unsupported_version; supported [\"2026-07-28\"]", play: futureHost},
	}
}

func modernHost(ctx context.Context, s *stage) (string, error) {
	d, err := s.ask(ctx, request{by: commander, method: protocol.MethodDiscover})
	if err != nil {
		return "", err
	}
	r, err := s.call(ctx, commander, status, fiveMinutes)
	if err != nil {
		return "", err
	}
	return "speaks " + d.text("/supportedVersions/0") + "; " + r.said(), nil
}

func legacyHost(ctx context.Context, s *stage) (string, error) {
	hello, err := s.legacy(ctx, commander, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo","version":"1"}}}`)
	if err != nil {
		return "", err
	}
	if _, err := s.legacy(ctx, commander, hello.session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return "", err
	}
	r, err := s.legacy(ctx, commander, hello.session, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, status, fiveMinutes))
	if err != nil {
		return "", err
	}
	return "speaks " + hello.text("/protocolVersion") + map[bool]string{true: " in a session; ", false: "; "}[hello.session != ""] + r.said(), nil
}

func futureHost(ctx context.Context, s *stage) (string, error) {
	q := calling(commander, status, fiveMinutes)
	q.revision = "2031-01-01"
	r, err := s.ask(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("HTTP %d %s; supported %s", r.status, r.said(), r.get("/data/supported")), nil
}
