package demo

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/protocol"
)

// contract is what a call and its answer must look like.
func contract() []plot {
	return []plot{
		{group: "contract", id: "free_text_without_evidence", fixture: true, title: "A write is done, and its upstream says so in words alone",
			want: "contract_violation; done 1; receipt committed, missing_external_id", play: freeText},
		{group: "contract", id: "malformed_json", title: "A host sends half a message",
			want: "HTTP 400 malformed_request", play: malformed},
		{group: "contract", id: "schema_violation", title: "An argument that the pinned schema does not take",
			want: "invalid_arguments at /severity (enum)", play: violation},
		{group: "contract", id: "valid_call", title: "A call as the definition wants it",
			want: "result, error rate 0.182", play: valid},
		{group: "contract", id: "definition_changed", title: "The upstream changes a definition after the review",
			want: "unknown_tool; the others are served", play: drift},
	}
}

func freeText(ctx context.Context, s *stage) (string, error) {
	before := s.tracker.Done("page_on_call")
	s.tracker.Misbehave(tracker.FreeText)
	r, err := s.call(ctx, commander, page, titled)
	if err != nil {
		return "", err
	}
	st, err := s.verified(r.receipt())
	if err != nil {
		return "", err
	}
	evidence := "external id " + st.ExternalID
	if st.MissingExternalID {
		evidence = "missing_external_id"
	}
	return s.did("page_on_call", before, r.said()) + fmt.Sprintf("; receipt %s, %s", st.Outcome, evidence), nil
}

func malformed(ctx context.Context, s *stage) (string, error) {
	header := http.Header{}
	header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	header.Set(protocol.HeaderMethod, protocol.MethodToolsCall)
	header.Set(protocol.HeaderName, status)
	r, err := s.post(ctx, "", commander, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`, header)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("HTTP %d %s", r.status, r.said()), nil
}

func violation(ctx context.Context, s *stage) (string, error) {
	r, err := s.call(ctx, commander, create, strings.Replace(p1, `"P1"`, `"P0"`, 1))
	if err != nil {
		return "", err
	}
	at := "/_meta/mcp-gateway~1error/violations/0"
	return fmt.Sprintf("%s at %s (%s)", r.said(), r.text(at+"/pointer"), r.text(at+"/keyword")), nil
}

func valid(ctx context.Context, s *stage) (string, error) {
	r, err := s.call(ctx, commander, status, fiveMinutes)
	if err != nil {
		return "", err
	}
	return r.said() + ", error rate " + r.get("/structuredContent/error_rate"), nil
}
