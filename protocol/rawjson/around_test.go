package rawjson_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/rawjson"
)

func around(raw string) error {
	return rawjson.CheckAround([]byte(raw), rawjson.DefaultLimits(), "result", "tools")
}

func TestCheckAroundForgivesWithinElements(t *testing.T) {
	deep := strings.Repeat(`[`, 300_000) + strings.Repeat(`]`, 300_000)
	for _, bad := range []string{
		`{"a":1,"a":2}`, `{"x":{"a":1,"\u0061":2}}`, `1e1000001`, `{"n":` + strings.Repeat("9", 1000) + `}`, `{"n":1e99999999}`,
		"{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"\ud800":1}`, deep, `{"x":` + deep + `}`, `{"a":"]},{\"","a":[]}`, `{}`, `null`,
	} {
		for _, page := range []string{
			`{"id":1,"result":{"tools":[` + bad + `]}}`,
			`{"id":1,"result":{"tools":[{"name":"a"},` + bad + ` , {"name":"b"} ],"nextCursor":"x"},"jsonrpc":"2.0"}`,
			`{"result":{"nextCursor":"x","tools": [ ` + bad + `,` + bad + `]}}`,
		} {
			if err := around(page); err != nil {
				t.Errorf("%.100s: %v", page, err)
			}
			elements := 0
			tools, _ := rawjson.Lookup([]byte(page), "/result/tools")
			for element := range rawjson.Elements(tools) {
				if elements++; string(element) != bad && !strings.HasPrefix(string(element), `{"name":"`) {
					t.Errorf("%.100s: element %.60q", page, element)
				}
			}
			if elements != 1+strings.Count(page, `"name"`) && elements != 2 {
				t.Errorf("%.100s: %d elements", page, elements)
			}
		}
	}
}

func TestCheckAroundIsStrictElsewhere(t *testing.T) {
	for _, page := range []string{
		`{"result":{"tools":[{}],"tools":[]}}`, `{"result":{"tools":[{}]},"result":{}}`, `{"result":{"tools":[{}],"\u0074ools":[]}}`,
		`{"result":{"tools":[{}],"_meta":{"a":1,"a":2}}}`, `{"result":{"tools":[{}],"n":1e9999}}`, "{\"result\":{\"tools\":[{}],\"x\":\"\xff\"}}",
		`{"result":{"tools":{"a":1,"a":2}}}`, `{"result":{"tools":{}}}x`, `{"result":{"tools":[{}]}}{}`, `{"other":{"tools":[{"a":1,"a":2}]}}`,
		`{"result":{"prompts":[{"a":1,"a":2}]}}`, `{"a":1,"a":2}`, `[{"a":1,"a":2}]`,
		// what is no JSON at all
		`{"result":{"tools":[{} {}]}}`, `{"result":{"tools":[{},]}}`, `{"result":{"tools":[,{}]}}`, `{"result":{"tools":[{},,{}]}}`,
		`{"result":{"tools":[{"a":1,}]}}`, `{"result":{"tools":[{"a":nope}]}}`, `{"result":{"tools":[{"a":]}]}}`, `{"result":{"tools":[{]}}`,
		`{"result":{"tools":[`, `{"result":{"tools":[{"a":"`, `{"result":{"tools":[1`, `{"result":{"tools":[x]}}`, `{"result":{"tools":`, ``,
	} {
		err := around(page)
		if e, ok := errors.AsType[*gateway.Error](err); page != `{"result":{"tools":{}}}` && (!ok || e.Code != gateway.CodeMalformed) {
			t.Errorf("%q: %v", page, err)
		}
	}
	if err := rawjson.CheckAround([]byte(`{"a":[1]}`), rawjson.Limits{Bytes: 8}, "a"); codeOf(err) != gateway.CodeTooLarge {
		t.Errorf("too large: %v", err)
	}
}

// FuzzCheckAround: what passes and whose elements all pass is what passes
// Check, but for the nesting that an element then has for itself.
func FuzzCheckAround(f *testing.F) {
	for _, seed := range []string{`{"a":[{"x":1,"x":2},1e9999]}`, `{"a":[[[]],"\ud800"],"b":1}`, `{"a":{}}`, `{"a":[1,]}`, `{"a":[{]}`, `[1]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		lim := rawjson.DefaultLimits()
		strict, lenient := rawjson.Check(raw, lim), rawjson.CheckAround(raw, lim, "a")
		if strict == nil && lenient != nil {
			t.Fatalf("%q is refused: %v", raw, lenient)
		}
		if lenient != nil || strict == nil {
			return
		}
		list, _ := rawjson.Member(raw, "a")
		whole := true
		for element := range rawjson.Elements(list) {
			whole = whole && rawjson.Check(element, rawjson.Limits{Depth: lim.Depth - 2}) == nil
		}
		if whole {
			t.Fatalf("%q passes though Check says %v and no element is to blame", raw, strict)
		}
	})
}
