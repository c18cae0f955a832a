package redact_test

import (
	"strings"
	"testing"

	"mcp-gateway/redact"
)

// A secret that is spread over neighbouring values of data is found where somebody who
// puts them together would, and what else stands beside it stays.
func TestSpread(t *testing.T) {
	a, b, c := key[:8], key[8:20], key[20:]
	for in, want := range map[string]string{
		`["` + a + `","` + b + c + `"]`:                                 `["[redacted:github_token]",""]`,
		`["x","is ` + a + `","` + b + `","` + c + ` yes","y"]`:          `["x","is [redacted:github_token]",""," yes","y"]`,
		`{"p":"` + a + `","q":{"n":[1,"z"]},"r":7,"s":"` + b + c + `"}`: `{"p":"[redacted:github_token]","q":{"n":[1,"z"]},"r":7,"s":""}`,
		`[{"deep":[["\u0067hp_","` + key[4:] + `"]]}]`:                  `[{"deep":[["[redacted:github_token]",""]]}]`,
		`["` + b64(key)[:20] + `","` + b64(key)[20:] + `"]`:             `["[redacted:github_token]",""]`,
		`["` + a + `"],["` + b + c + `"]`:                               "",
		`["4111111111","111111"]`:                                       "",
		`["all","is","well","with","these","words"]`:                    "",
		`{"name":"ghp_","of":"a prefix","and":"nothing else here"}`:     "",
	} {
		in, want = `{"content":[],"structuredContent":{"d":[`+in+`]},"x":1}`, `{"content":[],"structuredContent":{"d":[`+want+`]},"x":1}`
		if strings.Contains(want, "[]}") {
			want = in
		}
		got := result(t, in)
		if string(got.Bytes()) != want || got.Changed() != (want != in) || want != in && len(got.Report().Redactions) != 1 {
			t.Errorf("%s\n got %s %v\nwant %s", in, got.Bytes(), got.Report().Redactions, want)
		}
	}
	c2, err := redact.New(redact.Options{}).Any([]byte(`{"level":"info","data":["` + a + `","` + b + c + `"]}`))
	if err != nil || string(c2.Bytes()) != `{"level":"info","data":["[redacted:github_token]",""]}` {
		t.Errorf("a log message: %v %s", err, c2.Bytes())
	}
}

// What is as long as it was before something was replaced is changed all the same: a
// letter of the key is written as an escape, which makes up for the placeholder.
func TestSameLength(t *testing.T) {
	const aws = "AKIAQ7ZZZZZZZZZZZZ2A"
	for name, in := range map[string]string{
		"blocks": `{"content":[{"type":"text","text":"\u0041KIAQ7ZZZZ"},{"type":"text","text":"ZZZZZZZZ2A"}]}`,
		"data":   `{"structuredContent":["\u0041KIAQ7ZZZZ","ZZZZZZZZ2A"]}`,
	} {
		got := result(t, in)
		if out := string(got.Bytes()); len(out) != len(in) || !got.Changed() || !strings.Contains(out, "[redacted:aws_access_key]") || strings.Contains(out, aws[1:9]) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
