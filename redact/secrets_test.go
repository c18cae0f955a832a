package redact_test

import (
	"testing"

	"mcp-gateway/redact"
)

const split = `ghp_0123456789abcdefghij`

// Secrets are found wherever strings stand, under whatever name, and in pieces.
func TestSecretsWhereverTheyStand(t *testing.T) {
	const gone = "[redacted:github_token]"
	for name, tc := range map[string]struct{ in, want string }{
		"split over two blocks": {
			`{"content":[{"type":"text","text":"is ` + split + `"},{"type":"text","text":"ABCDEFGHIJ012345 ok","annotations":{"priority":1.0}}],"x":1e2}`,
			`{"content":[{"type":"text","text":"is ` + gone + `"},{"type":"text","text":" ok","annotations":{"priority":1.0}}],"x":1e2}`},
		"blocks with something between": {
			`{"content":[{"type":"text","text":"` + split + `"},{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"ABCDEFGHIJ012345"}]}`,
			`{"content":[{"type":"text","text":"` + gone + `"},{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":""}]}`},
		"by its name": {
			`{"content":[],"structuredContent":{"password":"hunter2Hunter2","user":"hunter2Hunter2","api_token":"a1B2c3D4e5F6g7H8"}}`,
			`{"content":[],"structuredContent":{"password":"[redacted:assignment]","user":"hunter2Hunter2","api_token":"[redacted:assignment]"}}`},
		"a cursor is none": {
			`{"structuredContent":{"next_page_token":"a1B2c3D4e5F6g7H8","password_policy":"at-least-12-Chars"}}`,
			`{"structuredContent":{"next_page_token":"a1B2c3D4e5F6g7H8","password_policy":"at-least-12-Chars"}}`},
		"in a name": {`{"structuredContent":{"` + key + `":1}}`, `{"structuredContent":{"` + gone + `":1}}`},
		"titles, _meta, resources": {
			`{"content":[{"type":"resource_link","uri":"a://b","name":"n","title":"` + key + `"},{"type":"resource","resource":{"uri":"a://c","text":"` + key + `"}}],"_meta":{"k":"` + key + `"}}`,
			`{"content":[{"type":"resource_link","uri":"a://b","name":"n","title":"` + gone + `"},{"type":"resource","resource":{"uri":"a://c","text":"` + gone + `"}}],"_meta":{"k":"` + gone + `"}}`},
		"percent":        {`{"content":[{"type":"text","text":"go to ?t=%67hp_0123456789abcdefghijABCDEFGHIJ012345&x=1"}]}`, `{"content":[{"type":"text","text":"go to ?t=` + gone + `&x=1"}]}`},
		"escapes":        {`{"content":[{"type":"text","text":"{\"a\":\"\\u0067hp_0123456789abcdefghijABCDEFGHIJ012345\"}"}]}`, `{"content":[{"type":"text","text":"{\"a\":\"` + gone + `\"}"}]}`},
		"base64":         {`{"content":[{"type":"text","text":"see Z2hwXzAxMjM0NTY3ODlhYmNkZWZnaGlqQUJDREVGR0hJSjAxMjM0NQ== there"}]}`, `{"content":[{"type":"text","text":"see ` + gone + ` there"}]}`},
		"cards and IBAN": {`{"content":[{"type":"text","text":"4111-1111-1111-1111, DE89370400440532013000"}]}`, `{"content":[{"type":"text","text":"[redacted:card], [redacted:iban]"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(result(t, tc.in).Bytes())
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// Addresses and telephone numbers go where the options say so, and only there.
func TestPersons(t *testing.T) {
	in := `{"content":[{"type":"text","text":"ask ann.lee+x@mail.example.com or +49 30 1234567."}]}`
	if got := string(result(t, in).Bytes()); got != in {
		t.Errorf("by default: %s", got)
	}
	c, err := redact.New(redact.Options{Email: true, Phone: true}).Result([]byte(in))
	if want := `{"content":[{"type":"text","text":"ask [redacted:email] or [redacted:phone]."}]}`; err != nil || string(c.Bytes()) != want {
		t.Errorf("%v %s", err, c.Bytes())
	}
}

func TestSplitPrompt(t *testing.T) {
	c, err := redact.New(redact.Options{}).Prompt([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"` + split + `"}},{"role":"user","content":{"type":"text","text":"ABCDEFGHIJ012345"}}]}`))
	want := `{"messages":[{"role":"user","content":{"type":"text","text":"[redacted:github_token]"}},{"role":"user","content":{"type":"text","text":""}}]}`
	if err != nil || string(c.Bytes()) != want || len(c.Report().Redactions) != 1 {
		t.Errorf("%v %s %v", err, c.Bytes(), c.Report())
	}
}
