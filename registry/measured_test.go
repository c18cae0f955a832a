package registry

import (
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/identity"
)

// TestReviewMeasures holds that a review which declares other files is compared with the
// upstream as it is by them, with no list in between.
func TestReviewMeasures(t *testing.T) {
	var declared map[string]gateway.Digest
	asked := 0
	r := New(Options{Facts: func(_ string, l *Listing) *identity.Facts {
		asked++
		f := &identity.Facts{Argv: []string{"python", "srv.py"}, Files: declared}
		if l != nil {
			f.Revision, f.Capabilities = l.Revision, l.Capabilities
		}
		return f
	}})
	if _, err := r.Publish("up", Listing{Tools: [][]byte{tool("t", "")}, Revision: "2025-11-25", Capabilities: []byte(`{"tools":{}}`)}); err != nil {
		t.Fatal(err)
	}
	is := identity.Parse(r.Lists()[0].Facts)
	for _, c := range []struct {
		name   string
		files  map[string]gateway.Digest
		served bool
	}{
		{"no files", nil, true},
		{"a file", map[string]gateway.Digest{"srv.py": "sha256:1"}, true},
		{"its next contents", map[string]gateway.Digest{"srv.py": "sha256:2"}, true},
		{"no files again", nil, true},
		{"a file, under the identity without", map[string]gateway.Digest{"srv.py": "sha256:3"}, false},
	} {
		declared = c.files
		reviewedAs := *is
		if c.served {
			reviewedAs.Files = c.files
		}
		x := reviewed("up", tool("t", ""))
		x.Upstreams = map[string]*UpstreamRecord{"up": {Identity: reviewedAs.Digest(), Files: c.files}}
		r.SetExposure(x)
		if served := len(r.Snapshot().Items(gateway.KindTool, "up")) == 1; served != c.served {
			t.Errorf("%s: served %v, stands %+v", c.name, served, r.Upstream("up"))
		}
		before := asked
		if r.SetExposure(x); asked != before {
			t.Errorf("%s: measured again under the same review", c.name)
		}
	}
}
