package redact_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/redact"
)

// What becomes one of the protocol's words, or of the gateway's own, only by being
// cleaned was judged as if it were none: the result is withheld. Data may be called as
// it likes.
func TestDisguises(t *testing.T) {
	r := redact.New(redact.Options{})
	for name, tc := range map[string]struct {
		in       string
		withheld bool
	}{
		"a link's type":             {`{"content":[{"type":"resource#_link","uri":"http://169.254.169.254/","name":"x"}]}`, true},
		"a link's type, last":       {`{"content":[{"uri":"http://169.254.169.254/","type":"resource_link#"}]}`, true},
		"a link's uri":              {`{"content":[{"type":"resource_link","uri":"x:y","ur#i":"http://169.254.169.254/"}]}`, true},
		"an image's type":           {`{"content":[{"type":"im#age","data":"AAAA"}]}`, true},
		"any type":                  {`{"content":[{"type":"new#","data":"AAAA"}]}`, true},
		"an icon's source":          {`{"content":[{"type":"resource_link","uri":"x:y","icons":[{"sr#c":"http://evil.example/a.png"}]}]}`, true},
		"icons":                     {`{"content":[{"type":"resource_link","uri":"x:y","#icons":[{"src":"http://evil.example/a.png"}]}]}`, true},
		"a media type":              {`{"content":[{"type":"resource","resource":{"uri":"x:y","mime#Type":"text/html","text":""}}]}`, true},
		"content":                   {`{"con#tent":[{"type":"text","text":"x"}]}`, true},
		"whether it failed":         {`{"is#Error":true,"content":[]}`, true},
		"questions":                 {`{"input#Requests":{},"content":[]}`, true},
		"structured content":        {`{"structured#Content":{}}`, true},
		"_meta":                     {`{"_me#ta":{"a":1}}`, true},
		"_meta of a block":          {`{"content":[{"type":"text","text":"","#_meta":{}}]}`, true},
		"the gateway's word":        {`{"_meta":{"mcp-gate#way/source":{}}}`, true},
		"and within a block":        {`{"content":[{"type":"text","text":"","_meta":{"mcp-gateway/#source":{}}}]}`, true},
		"and in data":               {`{"structuredContent":{"mcp-gateway#/error":{}}}`, true},
		"names of data":             {`{"structuredContent":{"ty#pe":"resource_#link","is#Error":1,"ur#i":"x"}}`, false},
		"names in _meta":            {`{"_meta":{"a#/b":1,"ty#pe":2}}`, false},
		"a name of no meaning":      {`{"content":[{"type":"text","text":"","fo#o":1}],"ba#r":2}`, false},
		"what an unknown kind says": {`{"content":[{"type":"new","text":"a#b"}]}`, false},
	} {
		for way, hidden := range map[string]string{"zero width": `\u200b`, "bidi": `\u202e`, "tag": `\udb40\udc41`, "terminal": `\u001b[1m`, "raw": "\u2060", "control": `\u0007`} {
			clean, err := r.Result([]byte(strings.ReplaceAll(tc.in, "#", hidden)))
			var e *gateway.Error
			switch {
			case !tc.withheld && (err != nil || !clean.Changed()):
				t.Errorf("%s, %s: %v", name, way, err)
			case tc.withheld && (!errors.As(err, &e) || e.Code != gateway.CodeContractViolation || e.Reasons[0] != gateway.ReasonNamesMeet):
				t.Errorf("%s, %s: %v %s", name, way, err, clean.Bytes())
			}
		}
	}
	for _, message := range []string{`{"role":"user","con#tent":{}}`, `{"role":"user","content":{"type":"resource_#link","uri":"http://a.example"}}`, `{"ro#le":"system","content":{"type":"text","text":""}}`} {
		if clean, err := r.Prompt([]byte(`{"messages":[` + strings.ReplaceAll(message, "#", `\u200b`) + `]}`)); err == nil {
			t.Errorf("a prompt passes: %s", clean.Bytes())
		}
	}
	for _, content := range []string{`{"ur#i":"x:y","text":""}`, `{"uri":"x:y","bl#ob":"AAAA"}`, `{"uri":"x:y","te#xt":""}`} {
		if clean, err := r.Contents([]byte(`{"contents":[` + strings.ReplaceAll(content, "#", `\u200b`) + `]}`)); err == nil {
			t.Errorf("contents pass: %s", clean.Bytes())
		}
	}
}
