package twins_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/listed"
	"mcp-gateway/registry/twins"
)

func TestFind(t *testing.T) {
	long := strings.Repeat("report_of_the_", 6)
	for name, tc := range map[string]struct {
		kind gateway.Kind
		ids  []string // upstream/name
		want []int
	}{
		"nothing alike":                          {"", []string{"a/x", "b/x", "a/y"}, nil},
		"one listed twice":                       {"", []string{"a/x", "a/x", "a/y"}, []int{0, 1}},
		"case":                                   {"", []string{"a/Send", "a/send"}, []int{0, 1}},
		"separators":                             {"", []string{"a/send-mail", "a/send_mail", "a/send.mail", "a/sendmail"}, []int{0, 1, 2}},
		"an id that ends in one":                 {"", []string{"a/_x", "a-/x", "a/x"}, []int{0, 1}},
		"an id that ends in one, other case":     {"", []string{"a/-X", "a-/x"}, []int{0, 1}},
		"an id that ends in two":                 {"", []string{"a--/x", "a-/_x", "a/--x"}, []int{0, 1, 2}},
		"a separator within the id":              {"", []string{"a--b/c", "a/b__c"}, []int{0, 1}},
		"long, and alike before they were short": {"", []string{"a/" + long + "Total", "a/" + long + "total", "a/" + long + "sum"}, []int{0, 1}},
		"long, over two upstreams":               {"", []string{"a/_" + long + "total", "a-/" + long + "Total"}, []int{0, 1}},
		"what is short is another's long":        {"", []string{"a/" + long, "a/" + strings.TrimPrefix(listed.ExposedName("a", long), "a__")}, []int{0, 1}},
		"prompts":                                {gateway.KindPrompt, []string{"a/x", "a/X"}, []int{0, 1}},
		"a URI that two offer":                   {gateway.KindResource, []string{"a/file:///x", "b/file:///x"}, nil},
		"a URI that one lists twice":             {gateway.KindResource, []string{"a/file:///x", "b/file:///x", "a/file:///x"}, []int{0, 2}},
		"URIs keep their spelling":               {gateway.KindResource, []string{"a/file:///x-y", "a/file:///X_y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var all []twins.Named
			for _, text := range tc.ids {
				upstream, own, _ := strings.Cut(text, "/")
				id := gateway.ItemID{Upstream: upstream, Kind: tc.kind, Name: own}
				all = append(all, twins.Named{ID: id, Exposed: listed.Exposed(id)})
			}
			all = append(all, twins.Named{ID: gateway.ItemID{Upstream: "a", Kind: tc.kind}}, twins.Named{ID: gateway.ItemID{Upstream: "a", Kind: tc.kind}}) // without a name
			found := twins.Find(all)
			var got []int
			for i, why := range found {
				got = append(got, i)
				for _, j := range tc.want {
					if !strings.Contains(why, all[j].ID.String()) {
						t.Errorf("%q does not name %s", why, all[j].ID)
					}
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) {
				t.Errorf("twins %v, want %v", got, tc.want)
			}
			for i := range all { // the order plays no part
				turned := slices.Concat(all[i:], all[:i])
				if again := twins.Find(turned); len(again) != len(found) {
					t.Errorf("turned by %d: %v", i, fmt.Sprint(again))
				}
			}
		})
	}
}
