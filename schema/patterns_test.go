package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/schema"
)

// Patterns are paid for where members are looked up by them: many members under many
// patterns end as a value that nobody vouches for, and not in a minute.
func TestUndeclaredPaysForPatterns(t *testing.T) {
	var patterns, members []string
	for i := range 200 {
		patterns = append(patterns, fmt.Sprintf(`"^x%d(a|b)*$":{}`, i))
	}
	for i := range 2000 {
		members = append(members, fmt.Sprintf(`"k%d":1`, i))
	}
	raw := []byte(`{"patternProperties":{` + strings.Join(patterns, ",") + `}}`)
	value := []byte("{" + strings.Join(members, ",") + "}")
	for work, want := range map[int]int{100_000: 1, 5_000_000: 32} {
		s, err := schema.Compile(raw, schema.Limits{Work: work})
		if err != nil {
			t.Fatal(err)
		}
		got := s.Undeclared(value)
		if len(got) != want || (got[0].Pointer == "") != (want == 1) {
			t.Errorf("for %d steps: %d violations, the first %+v", work, len(got), got[0])
		}
	}
}
