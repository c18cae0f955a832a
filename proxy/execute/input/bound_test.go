package input

import (
	"fmt"
	"testing"

	"mcp-gateway/gateway"
)

func TestOverBounds(t *testing.T) {
	bounds := map[string]gateway.Bound{
		"/title": {MaxLength: 5, NonEmpty: true}, "/tags": {MaxLength: 2}, "/who/name": {NonEmpty: true}, "/n": {NonEmpty: true, MaxLength: 1},
	}
	for args, want := range map[string]string{
		`{}`:                                   `[]`,
		`{"title":"täglï","tags":["a","b"]}`:   `[]`,
		`{"title":"täglich"}`:                  `[{/title maxLength}]`,
		`{"title":""}`:                         `[{/title nonEmpty}]`,
		`{"title":" \t\u00a0"}`:                `[{/title nonEmpty}]`,
		`{"title":null,"tags":null}`:           `[{/title nonEmpty}]`,
		`{"tags":[1,2,3],"title":"\u0061bc"}`:  `[{/tags maxLength}]`,
		`{"tags":{"a":1,"b":2,"c":3}}`:         `[{/tags maxLength}]`,
		`{"who":{"name":[]},"title":"abcdef"}`: `[{/title maxLength} {/who/name nonEmpty}]`,
		`{"who":{"name":{}},"n":0}`:            `[{/who/name nonEmpty}]`,
	} {
		if got := fmt.Sprint(overBounds(bounds, []byte(args))); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
