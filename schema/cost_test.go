package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/schema"
)

// list writes n elements, each by the form, which takes its number.
func list(n int, form string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(out, ",")
}

func same(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// What would take the library seconds, or memory without end, is not begun; large honest
// values are judged, also by keywords that only the library knows.
func TestWorkIsPaidFor(t *testing.T) {
	nested := `{"$defs":{"u":{"uniqueItems":true,"items":{"$ref":"#/$defs/u"}}},"$ref":"#/$defs/u"}`
	deep := strings.Repeat("[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],", 60) + "[" + list(50_000, "%d") + "]" + strings.Repeat("]", 60)
	alike := "[" + same(25_000, "1") + ",%d]"
	for name, c := range map[string]struct {
		schema, value string
		judged        bool
	}{
		"branches of constants":         {`{"items":{"oneOf":[` + list(900, `{"const":%d}`) + `]}}`, "[" + same(1000, "901") + "]", false},
		"branches of types":             {`{"items":{"oneOf":[` + list(900, `{"type":"string","minLength":%d}`) + `]}}`, "[" + same(1100, "901") + "]", false},
		"branches, few":                 {`{"items":{"oneOf":[` + list(9, `{"const":%d}`) + `]}}`, "[" + same(1000, "901") + "]", true},
		"an enum of numbers":            {`{"items":{"enum":[` + list(3000, "%d") + `]}}`, "[" + same(1300, "90000") + "]", false},
		"an enum of containers":         {`{"items":{"enum":[` + list(3000, "[[%d]]") + `]}}`, "[" + same(400, "[[90000]]") + "]", false},
		"members that are missing":      {`{"items":{"required":[` + list(3000, `"k%d"`) + `]}}`, "[" + same(200_000, "{}") + "]", false},
		"dependencies of many":          {`{"items":{"dependentRequired":{` + list(2000, `"k%[1]d":["m%[1]d"]`) + `}}}`, "[" + same(50_000, "{}") + "]", false},
		"numbers of many digits":        {`{"items":{"maximum":1.5e300}}`, "[" + same(50_000, "1e1000") + "]", false},
		"far down":                      {`{"type":["array","string"],"items":{"$ref":"#"}}`, strings.Repeat("[", 150) + same(60_000, "1") + strings.Repeat("]", 150), false},
		"differing at every depth":      {nested, deep, false},
		"differing at the end alone":    {`{"uniqueItems":true}`, "[" + list(18, alike) + "]", false},
		"150,000 different numbers":     {`{"uniqueItems":true}`, "[" + list(150_000, "%d") + "]", true},
		"100,000 different words":       {`{"uniqueItems":true}`, "[" + list(90_000, `"s%d"`) + "]", true},
		"4,000 sets of tags":            {`{"items":{"uniqueItems":true}}`, "[" + same(4000, `["a","b","c","d","e","f","g","h"]`) + "]", true},
		"9,000 rows, nothing besides":   {strings.Replace(outputSchema, `"required":["id","at"]`, `"required":["id","at"],"unevaluatedProperties":false`, 1), rows(9000), true},
		"9,000 rows, one of them wrong": {outputSchema, strings.Replace(rows(9000), `null}`, `1}`, 1), true},
	} {
		s := compile(t, c.schema)
		_, err := s.Check([]byte(c.value))
		if c.judged && err != nil || !c.judged && !errors.Is(err, schema.ErrValueTooDear) {
			t.Errorf("%s: %d bytes: %v, want it judged: %t", name, len(c.value), err, c.judged)
		}
	}
}
