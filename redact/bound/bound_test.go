package bound_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/bound"
)

func text(s string) string {
	return `{"type":"text","text":` + string(protocol.AppendString(nil, s)) + `}`
}

func result(items ...string) string { return `{"content":[` + strings.Join(items, ",") + `]}` }

// cut cuts and holds what must hold of whatever is cut.
func cut(t *testing.T, l bound.Limits, list, raw string) (out string, ok bool) {
	t.Helper()
	got, was, ok := l.Cut([]byte(raw), list, len(raw))
	switch {
	case !ok && got == nil:
		return "", false
	case !was && string(got) != raw:
		t.Fatalf("it changed: %s", got)
	case was && !json.Valid(got):
		t.Fatalf("no JSON: %s", got)
	case l.Result > 0 && len(got) > l.Result:
		t.Fatalf("%d bytes, where %d are allowed", len(got), l.Result)
	}
	if told, _ := protocol.Lookup(got, "/_meta/mcp-gateway~1truncated/total"); was != (string(told) == fmt.Sprint(len(raw))) {
		t.Fatalf("cut is %v, and _meta says a total of %q", was, told)
	}
	return string(got), true
}

func TestCut(t *testing.T) {
	long := strings.Repeat("all is well. ", 1000)
	image := `{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 2000) + `"}`
	blob := `{"uri":"a:b","blob":"` + strings.Repeat("QUJD", 2000) + `"}`
	for name, c := range map[string]struct {
		limits     bound.Limits
		list, in   string
		want, lost string // what must be there, and what must not
	}{
		"within":              {bound.Limits{Item: 1 << 20, Result: 1 << 20}, "content", result(text(long)), `is well. "`, "truncated"},
		"no limits":           {bound.Limits{}, "content", result(text(long), image), `is well. "`, "truncated"},
		"a text":              {bound.Limits{Item: 4 << 10}, "content", result(text(long), text("end")), `… [truncated: 8`, "items left out"},
		"texts but no more":   {bound.Limits{Item: 4 << 10}, "content", result(text("begin"), text(long)), `"begin"`, "items left out"},
		"an image":            {bound.Limits{Item: 4 << 10}, "content", result(image, text("end")), `"[image of 8049 bytes left out; ask for less at a time]"`, "QUJD"},
		"JSON in a text":      {bound.Limits{Item: 4 << 10}, "content", result(text(`{"a":"` + long + `"}`)), `"[JSON of `, "well"},
		"what only begins so": {bound.Limits{Item: 4 << 10}, "content", result(text(`{"a":` + long)), `… [truncated: `, "items left out"},
		"an embedded text":    {bound.Limits{Item: 4 << 10}, "content", result(`{"type":"resource","resource":{"uri":"a:b","text":"` + long + `"}}`), `"uri":"a:b","text":"all is`, "items left out"},
		"the whole":           {bound.Limits{Result: 8 << 10}, "content", result(text("begin"), text(long), text("lost"), image), `"[items left out: 2; ask for less at a time]"`, "lost"},
		"many small":          {bound.Limits{Result: 4 << 10}, "content", result(strings.Split(strings.Repeat(text("ten bytes.")+"|", 400)+text("lost"), "|")...), "[items left out: ", "lost"},
		"other members":       {bound.Limits{Result: 20 << 10}, "content", `{"content":[` + text(long) + `,` + text(long) + `],"structuredContent":{"a":1.10},"_meta":{"a.b/c":1e2}}`, `"structuredContent":{"a":1.10}`, "lost"},
		"meta":                {bound.Limits{Result: 8 << 10}, "content", `{"content":[` + text(long) + `],"_meta":{"a.b/c":1e2}}`, `"a.b/c":1e2}`, "lost"},
		"contents":            {bound.Limits{Item: 4 << 10}, "contents", `{"contents":[{"uri":"a:b","text":"` + long + `"},` + blob + `]}`, `{"uri":"a:b","mimeType":"text/plain","text":"[item of `, "QUJD"},
		"contents, the whole": {bound.Limits{Result: 4 << 10}, "contents", `{"contents":[` + strings.Repeat(`{"uri":"a:b","text":"kept"},`, 200) + `{"uri":"a:c","text":"lost"}]}`, `{"uri":"a:c","mimeType":"text/plain","text":"[items left out: `, "lost"},
		"messages":            {bound.Limits{Item: 4 << 10}, "messages", `{"messages":[{"role":"user","content":` + text(long) + `},{"role":"user","content":` + image + `}]}`, `{"role":"user","content":{"type":"text","text":"[image of `, "QUJD"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := cut(t, c.limits, c.list, c.in)
			if !ok || !strings.Contains(got, c.want) || c.lost != "" && strings.Contains(got, c.lost) {
				t.Errorf("%v %.300s … %.300s\nwants %s and not %s", ok, got, got[max(0, len(got)-300):], c.want, c.lost)
			}
		})
	}
}

// What is no list of content is never cut.
func TestCutRefusesHalfAValue(t *testing.T) {
	large := `{"x":"` + strings.Repeat("y", 10_000) + `"}`
	for name, raw := range map[string]string{
		"structured":   `{"content":[],"structuredContent":` + large + `}`,
		"meta":         `{"content":[` + text("a") + `],"_meta":` + large + `}`,
		"no list":      `{"content":` + large + `}`,
		"without list": large,
	} {
		if got, ok := cut(t, bound.Limits{Item: 1 << 10, Result: 8 << 10}, "content", raw); ok {
			t.Errorf("%s: %.100s", name, got)
		}
	}
}

// No character, escape or placeholder is cut, wherever the end comes to stand.
func TestCutsBetweenWhatBelongsTogether(t *testing.T) {
	for name, unit := range map[string]string{
		"runes": "Größe 漢字 😀", "placeholder": "a [redacted:github_token] b", "escapes": `a\n\\\"\u00e9 \\u0041`, "surrogates": `\ud83d\ude00\\`,
	} {
		raw := `{"content":[{"type":"text","text":"` + strings.Repeat(unit, 400) + `"}]}`
		whole := textOf(t, raw)
		for limit := 1000; limit < 1080; limit++ {
			out, ok := cut(t, bound.Limits{Item: limit}, "content", raw)
			got := textOf(t, out)
			head, tail, found := strings.Cut(got, "… [truncated: ")
			if !ok || !found || !strings.HasPrefix(whole, head) || !utf8.ValidString(got) || strings.Contains(got, "\uFFFD") {
				t.Fatalf("%s at %d: %q", name, limit, got)
			}
			if at := strings.LastIndex(head, "["); name == "placeholder" && at >= 0 && !strings.Contains(head[at:], "]") {
				t.Fatalf("%s at %d: %q", name, limit, head[at:])
			}
			if want := fmt.Sprintf("%d bytes]", len(whole)-len(head)); tail != want {
				t.Fatalf("%s at %d: %q, want %q", name, limit, tail, want)
			}
		}
	}
}

func textOf(t *testing.T, raw string) string {
	t.Helper()
	token, ok := protocol.Lookup([]byte(raw), "/content/0/text")
	text, isText := protocol.Text(token)
	if !ok || !isText {
		t.Fatalf("no text: %.200s", raw)
	}
	return text
}

func FuzzCut(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"\ud83d\ude00 \\n [redacted:jwt] 漢字"}]}`, 40)
	f.Add(`{"content":[{"type":"image","data":"QUJD"},{}],"_meta":{"a":1}}`, 2000)
	f.Fuzz(func(t *testing.T, raw string, limit int) {
		if protocol.Check([]byte(raw), protocol.DefaultLimits()) != nil || protocol.Kind([]byte(raw)) != '{' || strings.Contains(raw, "truncated") {
			return
		}
		for _, list := range []string{"content", "contents", "messages"} {
			for _, l := range []bound.Limits{{Item: limit}, {Result: limit}, {Item: limit / 2, Result: limit}} {
				out, ok := cut(t, l, list, raw)
				if ok && protocol.Check([]byte(out), protocol.DefaultLimits()) != nil {
					t.Fatalf("%s", out)
				}
			}
		}
	})
}
