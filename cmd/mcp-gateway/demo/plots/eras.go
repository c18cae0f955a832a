package plots

import (
	"context"
	"fmt"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/protocol"
)

// eras are revisions of the protocol.
func eras() []Plot {
	return []Plot{
		{Group: "compatibility", ID: "modern", Title: "A host of revision 2026-07-28: no session, each request for itself",
			Want: "speaks 2026-07-28; result", play: modernHost},
		{Group: "compatibility", ID: "legacy", Title: "A host of revision 2025-11-25: it initializes, and calls in its session",
			Want: "speaks 2025-11-25 in a session; result", play: legacyHost},
		{Group: "compatibility", ID: "unsupported_version", Title: "A host of a revision that is none",
			Want: "HTTP 400 unsupported_version; supported [\"2026-07-28\"]", play: futureHost},
	}
}

func modernHost(ctx context.Context, s *stage) (string, error) {
	d, err := s.Ask(ctx, scene.Request{By: scene.Commander, Method: protocol.MethodDiscover})
	if err != nil {
		return "", err
	}
	r, err := s.Call(ctx, scene.Commander, status, fiveMinutes)
	if err != nil {
		return "", err
	}
	return "speaks " + d.Text("/supportedVersions/0") + "; " + r.Said(), nil
}

func legacyHost(ctx context.Context, s *stage) (string, error) {
	hello, err := s.Legacy(ctx, scene.Commander, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo","version":"1"}}}`)
	if err != nil {
		return "", err
	}
	if _, err := s.Legacy(ctx, scene.Commander, hello.Session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return "", err
	}
	r, err := s.Legacy(ctx, scene.Commander, hello.Session, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, status, fiveMinutes))
	if err != nil {
		return "", err
	}
	return "speaks " + hello.Text("/protocolVersion") + map[bool]string{true: " in a session; ", false: "; "}[hello.Session != ""] + r.Said(), nil
}

func futureHost(ctx context.Context, s *stage) (string, error) {
	q := scene.Calling(scene.Commander, status, fiveMinutes)
	q.Revision = "2031-01-01"
	r, err := s.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("HTTP %d %s; supported %s", r.Status, r.Said(), r.Get("/data/supported")), nil
}
