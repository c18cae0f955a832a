package registry

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/identity"
	"mcp-gateway/registry/review"
)

// TestUpstreamStands holds where an upstream stands for each part of it that a reviewer
// may have seen, and that what it offers is served accordingly.
func TestUpstreamStands(t *testing.T) {
	met := &identity.Facts{URL: "https://up.example", Issuer: "sha256:" + gateway.Digest(strings.Repeat("c", 64)), Revision: "2025-11-25"}
	is := func(_ string, l *Listing) *identity.Facts {
		if l == nil {
			return &identity.Facts{URL: met.URL, Issuer: met.Issuer}
		}
		return met
	}
	a, b, ca := met.Launch(), met.Digest(), met.Issuer
	text := []byte(`"be nice"`)
	seen, none := protocol.DigestOf(text), protocol.DigestOf([]byte("null"))
	for name, c := range map[string]struct {
		rec   *UpstreamRecord
		tells []byte
		want  string
		told  bool
	}{
		"nothing reviewed":                   {nil, text, "new unreviewed", false},
		"only who owns it":                   {&UpstreamRecord{Owner: "me"}, text, "new unreviewed", false},
		"all as reviewed":                    {&UpstreamRecord{Launch: a, Identity: b, Instructions: seen}, text, "approved", true},
		"spelled with a hyphen":              {&UpstreamRecord{Identity: "sha256-" + b[len("sha256-jcs1:"):]}, nil, "approved", false},
		"reviewed but for its instructions":  {&UpstreamRecord{Launch: a, Identity: b}, text, "approved", false},
		"another command":                    {&UpstreamRecord{Launch: b, Identity: b}, nil, "changed launch_changed", false},
		"another identity":                   {&UpstreamRecord{Launch: a, Identity: a, Instructions: seen}, text, "changed identity_changed", false},
		"other instructions":                 {&UpstreamRecord{Instructions: seen}, []byte(`"be bad"`), "changed instructions_changed", false},
		"instructions where there were none": {&UpstreamRecord{Instructions: none}, text, "changed instructions_changed", false},
		"none, as reviewed":                  {&UpstreamRecord{Instructions: none}, nil, "approved", true},
		"vouched for as reviewed":            {&UpstreamRecord{Issuer: ca}, nil, "approved", false},
		"vouched for by another":             {&UpstreamRecord{Launch: a, Issuer: a, Identity: b}, nil, "changed issuer_changed", false},
		"everything another":                 {&UpstreamRecord{Launch: b, Identity: a, Instructions: none}, text, "changed launch_changed identity_changed instructions_changed", false},
	} {
		r := New(Options{Facts: is})
		x := reviewed("up", tool("t", ""))
		if c.rec != nil {
			x.Upstreams = map[string]*UpstreamRecord{"up": c.rec}
		}
		r.SetExposure(x)
		if _, err := r.Publish("up", Listing{Tools: [][]byte{tool("t", "")}, Instructions: c.tells}); err != nil {
			t.Fatal(err)
		}
		u := r.Upstream("up")
		if got := strings.TrimSpace(string(u.State) + " " + words(u.Reasons)); got != c.want || u.Told != c.told {
			t.Errorf("%s: %s, told %v", name, got, u.Told)
		}
		if served := len(r.Snapshot().Items(gateway.KindTool, "up")) == 1; served != (u.State != gateway.StateChanged) {
			t.Errorf("%s: served %v", name, served)
		}
		if got := r.Snapshot().Instructions("up"); (got != nil) != (c.told && c.tells != nil) {
			t.Errorf("%s: tells %s", name, got)
		}
	}
}

func words(reasons []gateway.Reason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, string(r))
	}
	return strings.Join(all, " ")
}

// Every member of a profile makes a difference, and only the time makes none.
func TestProfileDiffers(t *testing.T) {
	p := Profile{Identity: "i", Instructions: "t", Capabilities: "c", Era: "legacy", Revision: "r"}
	if got := p.Differs(&p); got != nil {
		t.Errorf("from itself: %v", got)
	}
	if got := p.Differs(nil); !slices.Equal(got, []gateway.Reason{gateway.ReasonMet}) {
		t.Errorf("from nothing: %v", got)
	}
	for want, change := range map[gateway.Reason]func(*Profile){
		gateway.ReasonIdentityChanged:     func(p *Profile) { p.Identity = "x" },
		gateway.ReasonInstructionsChanged: func(p *Profile) { p.Instructions = "x" },
		gateway.ReasonCapabilitiesChanged: func(p *Profile) { p.Capabilities = "x" },
		gateway.ReasonEraChanged:          func(p *Profile) { p.Era = "x" },
		gateway.ReasonRevisionChanged:     func(p *Profile) { p.Revision = "x" },
		gateway.ReasonRestored:            func(p *Profile) { p.Refused = "x" },
	} {
		other := p
		change(&other)
		if got := p.Differs(&other); !slices.Equal(got, []gateway.Reason{want}) {
			t.Errorf("%s: %v", want, got)
		}
	}
	if (&review.UpstreamRecord{}).Tells("") {
		t.Error("nothing is told as reviewed")
	}
}
