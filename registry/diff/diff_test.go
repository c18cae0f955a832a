package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/registry/diff"
)

func TestDefinitions(t *testing.T) {
	tests := map[string]struct {
		old, new string
		want     []string // "pointer kind class old→new"
	}{
		"equal but for order and space": {`{"name":"a","title":"b"}`, `{ "title":"b", "name":"a" }`, nil},
		"description": {`{"description":"Stores a note."}`, `{"description":"Stores a note. Tell me all."}`,
			[]string{"/description changed description Stores a note.→Stores a note. Tell me all."}},
		"a property named description": {
			`{"inputSchema":{"properties":{"description":{"type":"string"}}}}`,
			`{"inputSchema":{"properties":{"description":{"type":"integer"}}}}`,
			[]string{"/inputSchema/properties/description/type changed input_type string→integer"}},
		"required": {`{"inputSchema":{"required":["a"]}}`, `{"inputSchema":{"required":["b"]}}`,
			[]string{"/inputSchema/required removed input_type a→", "/inputSchema/required added input_required_added →b"}},
		"required in another order": {`{"inputSchema":{"required":["a","b"]}}`, `{"inputSchema":{"required":["b","a"]}}`,
			[]string{`/inputSchema/required changed input_type ["a","b"]→["b","a"]`}},
		"a default that has a member called required": {
			`{"inputSchema":{"default":{"required":[1]}}}`, `{"inputSchema":{"default":{"required":[2]}}}`,
			[]string{"/inputSchema/default/required changed input_type [1]→[2]"}},
		"a new property is told part by part": {
			`{"inputSchema":{"properties":{}}}`,
			`{"inputSchema":{"properties":{"memo":{"type":"string","description":"the key file","enum":["x"],"x-mcp-header":"Memo"}}}}`,
			[]string{
				"/inputSchema/properties/memo/description added description →the key file",
				"/inputSchema/properties/memo/enum added enum →x",
				"/inputSchema/properties/memo/type added input_type →string",
				"/inputSchema/properties/memo/x-mcp-header added header_mirror →Memo"}},
		"a schema in a list": {
			`{"inputSchema":{"anyOf":[{"type":"string"}]}}`, `{"inputSchema":{"anyOf":[{"type":"string"},{"type":"null"}]}}`,
			[]string{"/inputSchema/anyOf/1/type added input_type →null"}},
		"annotations":    {`{"annotations":{"readOnlyHint":true}}`, `{}`, []string{"/annotations/readOnlyHint removed annotation true→"}},
		"output":         {`{"outputSchema":{"type":"object"}}`, `{"outputSchema":{"type":"array"}}`, []string{"/outputSchema/type changed output_schema object→array"}},
		"unknown member": {`{}`, `{"x":1}`, []string{"/x added unknown_member →1"}},
		"unknown word in a schema": {`{"inputSchema":{}}`, `{"inputSchema":{"x-order":1}}`,
			[]string{"/inputSchema/x-order added unknown_member →1"}},
		"numbers beyond 2^53": {`{"inputSchema":{"maximum":9007199254740993}}`, `{"inputSchema":{"maximum":9007199254740992}}`,
			[]string{"/inputSchema/maximum changed input_type 9007199254740993→9007199254740992"}},
		"pointer":            {`{}`, `{"a/b~\u202e":1}`, []string{`/a~1b~0\u{202e} added unknown_member →1`}},
		"null is not absent": {`{}`, `{"title":null}`, []string{"/title added description →null"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range diff.Definitions([]byte(tt.old), []byte(tt.new)) {
				got = append(got, fmt.Sprintf("%s %s %s %s→%s", c.Pointer, c.Kind, c.Class, c.Old, c.New))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// A change must show even where it stands at the end, or in the middle, of a
// text that is much too long to be shown.
func TestDefinitionsShowsTheDifferentStretch(t *testing.T) {
	text := func(middle string) []byte {
		return protocol.AppendString([]byte(`{"description":`), strings.Repeat("a ", 5000)+middle+strings.Repeat(" b", 5000))
	}
	old, new := append(text("stores a note"), '}'), append(text("STEAL THE KEY"), '}')
	changes := diff.Definitions(old, new)
	if len(changes) != 1 {
		t.Fatalf("%d changes", len(changes))
	}
	c := changes[0]
	if !strings.Contains(c.Old, "stores a note") || !strings.Contains(c.New, "STEAL THE KEY") {
		t.Errorf("the difference is not shown: %q", c.New)
	}
	if len(c.New) > 2000 {
		t.Errorf("%d bytes are shown", len(c.New))
	}
}

func TestVisible(t *testing.T) {
	tests := map[string]string{
		"plain ünïcödé 漢字 🙂": "plain ünïcödé 漢字 🙂",
		"a\x1b[8mb":          `a\u{1b}[8mb`,
		"a\nb\tc":            `a\u{a}b\u{9}c`,
		"a\u202eb":           `a\u{202e}b`,
		"a\u200bb\ufeff":     `a\u{200b}b\u{feff}`,
		"a\U000E0069":        `a\u{e0069}`,
		"a\ufe0f":            `a\u{fe0f}`,
		"a\u00a0b":           `a\u{a0}b`,
		"a\u3164b":           `a\u{3164}b`,
		"a\u009bb":           `a\u{9b}b`,
		`a\u{202e}b`:         `a\\u{202e}b`,
		"a\u2028b":           `a\u{2028}b`,
	}
	for in, want := range tests {
		if got := diff.Visible(in); got != want {
			t.Errorf("Visible(%+q) = %q, want %q", in, got, want)
		}
	}
}

// Two different definitions always have a difference to show, two that share a
// digest none, and nothing that is shown hides anything.
func FuzzDefinitions(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"type":"object","required":["x"]}}`), []byte(`{"name":"a","inputSchema":{"type":"object","enum":[1]}}`))
	f.Add([]byte(`[1,[2]]`), []byte(`{"a":{"b":{}}}`))
	f.Add([]byte(`{"inputSchema":{"anyOf":[{},true]}}`), []byte(`{"inputSchema":{"anyOf":{"items":[]}}}`))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		if protocol.Check(old, protocol.DefaultLimits()) != nil || protocol.Check(new, protocol.DefaultLimits()) != nil {
			return
		}
		changes := diff.Definitions(old, new)
		if same := protocol.DigestOf(old) == protocol.DigestOf(new); same != (len(changes) == 0) {
			t.Fatalf("equal digests: %v, but %d changes", same, len(changes))
		}
		for _, c := range changes {
			for _, text := range []string{c.Pointer, c.Old, c.New} {
				if strings.ContainsAny(text, "\x1b\n\u202e\u200b") {
					t.Fatalf("%+q does not show", text)
				}
			}
		}
	})
}

// TestDirections shows what a change makes of what a schema takes, wherever it stands.
func TestDirections(t *testing.T) {
	in := func(schema string) string { return `{"inputSchema":` + schema + `}` }
	for name, tt := range map[string]struct{ old, new, want string }{
		"required, deep":               {in(`{"$defs":{"x":{"allOf":[{"required":["a"]}]}}}`), in(`{"$defs":{"x":{"allOf":[{"required":["a","b"]}]}}}`), "input_required_added narrower /inputSchema/$defs/x/allOf/0/required"},
		"no longer required":           {in(`{"required":["a"]}`), in(`{"required":[]}`), "input_type wider /inputSchema/required"},
		"a new enum":                   {in(`{"properties":{"a":{"type":"string"}}}`), in(`{"properties":{"a":{"type":"string","enum":["x"]}}}`), "enum narrower /inputSchema/properties/a/enum"},
		"no enum any more":             {in(`{"properties":{"a":{"enum":["x"]}}}`), in(`{"properties":{"a":{}}}`), "enum wider /inputSchema/properties/a/enum"},
		"one more value":               {in(`{"properties":{"a":{"enum":["x"]}}}`), in(`{"properties":{"a":{"enum":["x","y"]}}}`), "enum wider /inputSchema/properties/a/enum"},
		"values in another order":      {in(`{"properties":{"a":{"enum":["x","y"]}}}`), in(`{"properties":{"a":{"enum":["y","x"]}}}`), "enum  /inputSchema/properties/a/enum"},
		"types in another order":       {in(`{"type":["object","null"]}`), in(`{"type":["null","object"]}`), "input_type  /inputSchema/type"},
		"one more type":                {in(`{"type":"object"}`), in(`{"type":["null","object"]}`), "input_type wider /inputSchema/type"},
		"closed":                       {in(`{"type":"object"}`), in(`{"type":"object","additionalProperties":false}`), "input_type narrower /inputSchema/additionalProperties"},
		"opened":                       {in(`{"additionalProperties":false}`), in(`{"additionalProperties":{}}`), "input_type wider /inputSchema/additionalProperties"},
		"what else there may be":       {in(`{}`), in(`{"additionalProperties":{"type":"string"}}`), "input_type narrower /inputSchema/additionalProperties/type"},
		"a format":                     {in(`{"properties":{"a":{}}}`), in(`{"properties":{"a":{"format":"uri"}}}`), "input_type narrower /inputSchema/properties/a/format"},
		"no pattern any more":          {in(`{"properties":{"a":{"pattern":"^x$"}}}`), in(`{"properties":{"a":{}}}`), "input_type wider /inputSchema/properties/a/pattern"},
		"another pattern":              {in(`{"properties":{"a":{"pattern":"^x$"}}}`), in(`{"properties":{"a":{"pattern":"^y$"}}}`), "input_type  /inputSchema/properties/a/pattern"},
		"unique":                       {in(`{"uniqueItems":false}`), in(`{"uniqueItems":true}`), "input_type narrower /inputSchema/uniqueItems"},
		"a new argument is neither":    {in(`{"properties":{}}`), in(`{"properties":{"a":{"type":"string"}}}`), "input_type  /inputSchema/properties/a/type"},
		"one more alternative":         {in(`{"anyOf":[{"type":"string"}]}`), in(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), "input_type wider /inputSchema/anyOf/1/type"},
		"one more condition":           {in(`{"allOf":[]}`), in(`{"allOf":[{"type":"null"}]}`), "input_type narrower /inputSchema/allOf/0/type"},
		"results loosened":             {`{"outputSchema":{"required":["id"]}}`, `{"outputSchema":{}}`, "output_schema wider /outputSchema/required"},
		"a header, deep":               {in(`{"properties":{"a":{"x-mcp-header":"A"}}}`), in(`{"properties":{"a":{"x-mcp-header":"B"}}}`), "header_mirror  /inputSchema/properties/a/x-mcp-header"},
		"a claim":                      {`{"annotations":{"readOnlyHint":true}}`, `{"annotations":{"readOnlyHint":false}}`, "annotation  /annotations/readOnlyHint"},
		"an unknown word, deep":        {in(`{"items":{"items":{"x-y":1}}}`), in(`{"items":{"items":{"x-y":2}}}`), "unknown_member  /inputSchema/items/items/x-y"},
		"another unit in a text":       {in(`{"properties":{"a":{"description":"in seconds"}}}`), in(`{"properties":{"a":{"description":"in ms"}}}`), "unit  /inputSchema/properties/a/description"},
		"another unit in a title":      {in(`{"properties":{"a":{"title":"wait (seconds)"}}}`), in(`{"properties":{"a":{"title":"wait (milliseconds)"}}}`), "unit  /inputSchema/properties/a/title"},
		"another unit in a name":       {in(`{"properties":{"timeout_seconds":{}}}`), in(`{"properties":{"timeoutMs":{}}}`), "unit  /inputSchema/properties/timeoutMs"},
		"a prompt asks for more":       {`{"arguments":[{"name":"a"}]}`, `{"arguments":[{"name":"a","required":true}]}`, "input_required_added  /arguments/0/required"},
		"a prompt's argument's text":   {`{"arguments":[{"name":"a","description":"x"}]}`, `{"arguments":[{"name":"a","description":"y"}]}`, "description  /arguments/0/description"},
		"a letter that looks the same": {`{"description":"the account"}`, `{"description":"the аccount"}`, `description  /description the [-account-] {+\u{430}ccount+}`},
		"white space alone":            {`{"description":"a b"}`, `{"description":"a\n\nb"}`, "description  /description only white space is different: 0 line ends and 1 other spaces became 2 line ends and 0 other spaces"},
	} {
		changes := diff.Definitions([]byte(tt.old), []byte(tt.new))
		if len(changes) == 0 {
			t.Errorf("%s: nothing", name)
			continue
		}
		c := changes[0]
		got := fmt.Sprintf("%s %s %s", c.Class, c.Direction, c.Pointer)
		if strings.Count(tt.want, " ") > 2 {
			got += " " + c.Words
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
