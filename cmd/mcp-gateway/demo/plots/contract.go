package plots

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/protocol"
)

// contract is what a call and its answer must look like.
func contract() []Plot {
	return []Plot{
		{Group: "contract", ID: "free_text_without_evidence", Fixture: true, Title: "A write is done, and its upstream says so in words alone",
			Want: "contract_violation; done 1; receipt committed, missing_external_id", play: freeText},
		{Group: "contract", ID: "malformed_json", Title: "A host sends half a message",
			Want: "HTTP 400 malformed_request", play: malformed},
		{Group: "contract", ID: "schema_violation", Title: "An argument that the pinned schema does not take",
			Want: "invalid_arguments at /severity (enum)", play: violation},
		{Group: "contract", ID: "valid_call", Title: "A call as the definition wants it",
			Want: "result, error rate 0.182", play: valid},
		{Group: "contract", ID: "definition_changed", Title: "The upstream changes a definition after the review",
			Want: "unknown_tool; the others are served", play: drift},
	}
}

func freeText(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("page_on_call")
	s.Tracker.Misbehave(tracker.FreeText)
	r, err := s.Call(ctx, scene.Commander, page, titled)
	if err != nil {
		return "", err
	}
	st, err := s.Verified(r.Receipt())
	if err != nil {
		return "", err
	}
	evidence := "external id " + st.ExternalID
	if st.MissingExternalID {
		evidence = "missing_external_id"
	}
	return s.did("page_on_call", before, r.Said()) + fmt.Sprintf("; receipt %s, %s", st.Outcome, evidence), nil
}

func malformed(ctx context.Context, s *stage) (string, error) {
	header := http.Header{}
	header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	header.Set(protocol.HeaderMethod, protocol.MethodToolsCall)
	header.Set(protocol.HeaderName, status)
	r, err := s.Post(ctx, "", scene.Commander, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`, header)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("HTTP %d %s", r.Status, r.Said()), nil
}

func violation(ctx context.Context, s *stage) (string, error) {
	r, err := s.Call(ctx, scene.Commander, create, strings.Replace(p1, `"P1"`, `"P0"`, 1))
	if err != nil {
		return "", err
	}
	at := "/_meta/mcp-gateway~1error/violations/0"
	return fmt.Sprintf("%s at %s (%s)", r.Said(), r.Text(at+"/pointer"), r.Text(at+"/keyword")), nil
}

func valid(ctx context.Context, s *stage) (string, error) {
	r, err := s.Call(ctx, scene.Commander, status, fiveMinutes)
	if err != nil {
		return "", err
	}
	return r.Said() + ", error rate " + r.Get("/structuredContent/error_rate"), nil
}
