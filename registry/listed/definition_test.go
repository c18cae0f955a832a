package listed

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

func TestAdmit(t *testing.T) {
	const object = `"inputSchema":{"type":"object"}`
	tests := map[string]struct {
		raw  string
		want gateway.Reason
		tool string // the name that must be known all the same
	}{
		"plain":                 {`{"name":"a.B-c_9",` + object + `}`, "", "a.B-c_9"},
		"escaped name":          {`{"name":"\u0061",` + object + `}`, "", "a"},
		"longest name":          {`{"name":"` + strings.Repeat("n", 128) + `",` + object + `}`, "", strings.Repeat("n", 128)},
		"null output schema":    {`{"name":"a",` + object + `,"outputSchema":null}`, "", "a"},
		"optional task":         {`{"name":"a",` + object + `,"execution":{"taskSupport":"optional"}}`, "", "a"},
		"strange execution":     {`{"name":"a",` + object + `,"execution":[]}`, "", "a"},
		"no JSON":               {`{"name":`, gateway.ReasonMalformed, ""},
		"nothing":               {``, gateway.ReasonMalformed, ""},
		"two documents":         {`{"name":"a",` + object + `}{}`, gateway.ReasonMalformed, ""},
		"duplicate member":      {`{"name":"a","name":"a",` + object + `}`, gateway.ReasonMalformed, ""},
		"duplicate, deep":       {`{"name":"a","inputSchema":{"type":"object","x":{"y":1,"\u0079":2}}}`, gateway.ReasonMalformed, ""},
		"bad UTF-8":             {"{\"name\":\"a\",\"description\":\"\xff\"," + object + "}", gateway.ReasonMalformed, ""},
		"lone surrogate":        {`{"name":"a","description":"\ud800",` + object + `}`, gateway.ReasonMalformed, ""},
		"array":                 {`["name"]`, gateway.ReasonMalformed, ""},
		"null":                  {`null`, gateway.ReasonMalformed, ""},
		"no name":               {`{` + object + `}`, gateway.ReasonNameInvalid, ""},
		"number for a name":     {`{"name":1,` + object + `}`, gateway.ReasonNameInvalid, ""},
		"empty name":            {`{"name":"",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"name of another case":  {`{"Name":"a",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"long name":             {`{"name":"` + strings.Repeat("n", 129) + `",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"space in name":         {`{"name":"a b",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"slash in name":         {`{"name":"a/b",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"Cyrillic name":         {`{"name":"\u0430",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"line break in name":    {`{"name":"a\n",` + object + `}`, gateway.ReasonNameInvalid, ""},
		"no input schema":       {`{"name":"a"}`, gateway.ReasonSchemaInvalid, "a"},
		"null input schema":     {`{"name":"a","inputSchema":null}`, gateway.ReasonSchemaInvalid, "a"},
		"schema without type":   {`{"name":"a","inputSchema":{}}`, gateway.ReasonSchemaInvalid, "a"},
		"text for a schema":     {`{"name":"a","inputSchema":"object"}`, gateway.ReasonSchemaInvalid, "a"},
		"bad output schema":     {`{"name":"a",` + object + `,"outputSchema":{"type":"objekt"}}`, gateway.ReasonSchemaInvalid, "a"},
		"schema refers to self": {`{"name":"a","inputSchema":{"type":"object","$ref":"#"}}`, gateway.ReasonSchemaUnsafe, "a"},
		"lookahead": {`{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","pattern":"^(?!a)"}}}}`,
			gateway.ReasonSchemaUnsafe, "a"},
		"remote reference": {`{"name":"a","inputSchema":{"type":"object","$ref":"http://169.254.169.254/x"}}`,
			gateway.ReasonSchemaUnsafe, "a"},
		"header with line break": {`{"name":"a","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region\r\nX-Role: admin"}}}}`,
			gateway.ReasonHeaderMirror, "a"},
		"task required": {`{"name":"a",` + object + `,"execution":{"taskSupport":"required"}}`, gateway.ReasonTaskRequired, "a"},
		"too large": {`{"name":"a","description":"` + strings.Repeat("d", MaxDefinition) + `",` + object + `}`,
			gateway.ReasonDefinitionTooBig, "a"},
		"too deep": {`{"name":"a","x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `,` + object + `}`,
			gateway.ReasonMalformed, ""},
		"number bomb": {`{"name":"a","x":1e1000001,` + object + `}`, gateway.ReasonMalformed, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, reason, err := new(Desk).admit(gateway.ItemID{Upstream: "up"}, []byte(tt.raw))
			if reason != tt.want || (err != nil) != (tt.want != "") {
				t.Fatalf("admit: %q, %v; want %q", reason, err, tt.want)
			}
			if d.ID != (gateway.ItemID{Upstream: "up", Name: tt.tool}) || d.Name != tt.tool || d.Digest == "" {
				t.Errorf("definition is %v, %q, digest %q", d.ID, d.Name, d.Digest)
			}
			if tt.want == "" && d.Input == nil {
				t.Error("no compiled input schema")
			}
		})
	}
}

// The digest covers every member, whatever it is, and keeps number lexemes.
func TestAdmitDigest(t *testing.T) {
	digest := func(raw string) gateway.Digest {
		d, _, _ := new(Desk).admit(gateway.ItemID{Upstream: "up"}, []byte(raw))
		return d.Digest
	}
	const base = `{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"integer","default":9007199254740993}}}}`
	if digest(base) != digest(strings.ReplaceAll(base, ":", " : ")) {
		t.Error("space changes the digest")
	}
	for _, other := range []string{
		strings.Replace(base, "9007199254740993", "9007199254740992", 1),
		strings.Replace(base, `{"name"`, `{"x":1,"name"`, 1),
		strings.Replace(base, `{"name"`, `{"annotations":{},"name"`, 1),
		strings.Replace(base, `"type":"object"`, `"type":"object","title":"t"`, 1),
	} {
		if digest(other) == digest(base) {
			t.Errorf("same digest as %s", other)
		}
	}
}

func TestExposedName(t *testing.T) {
	long := strings.Repeat("t", 100)
	tests := []struct{ upstream, tool, want string }{
		{"github", "search", "github__search"},
		{"up", strings.Repeat("t", 60), "up__" + strings.Repeat("t", 60)},
	}
	for _, tt := range tests {
		if got := ExposedName(tt.upstream, tt.tool); got != tt.want {
			t.Errorf("ExposedName(%s, %s) = %s, want %s", tt.upstream, tt.tool, got, tt.want)
		}
	}
	a, b := ExposedName("up", long+"a"), ExposedName("up", long+"b")
	if len(a) != maxExposed || len(b) != maxExposed || a == b || a != ExposedName("up", long+"a") {
		t.Errorf("long names: %s, %s", a, b)
	}
	if !validName(a) {
		t.Errorf("%s is no name itself", a)
	}
}

// Whatever is listed, admit answers, with a reason or with all that a call
// needs, and its digest depends on what the bytes mean alone.
func FuzzAdmit(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"type":"object"}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"type":"object","$ref":"#"},"execution":{"taskSupport":"required"}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}},"outputSchema":{"allOf":[true]}}`))
	f.Add([]byte(`[null]`))
	f.Add([]byte("{\"name\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, reason, err := new(Desk).admit(gateway.ItemID{Upstream: "up"}, bytes.Clone(raw))
		if (reason == "") != (err == nil) {
			t.Fatalf("reason %q with error %v", reason, err)
		}
		if d.Digest == "" || d.ID.Upstream != "up" {
			t.Fatalf("nothing is known of it: %+v", d)
		}
		if reason != "" {
			return
		}
		if !validName(d.Name) || d.Input == nil || protocol.Kind(d.InputSchema) != '{' || (d.OutputSchema == nil) != (d.Output == nil) {
			t.Fatalf("admitted unfit: %+v", d)
		}
		again, _, err := new(Desk).admit(gateway.ItemID{Upstream: "up"}, protocol.AppendCanonical(nil, raw))
		if err != nil || again.Digest != d.Digest {
			t.Fatalf("its canonical form is another: %v", err)
		}
	})
}

// A definition on which admission panics is withheld like any other bad one.
func TestExamineContainsPanics(t *testing.T) {
	a := contain(gateway.ItemID{Upstream: "up"}, []byte(`{}`), time.Time{}, func(gateway.ItemID, []byte) (*Definition, gateway.Reason, error) { panic("boom") })
	if a.Reason != gateway.ReasonAdmissionFailed || a.Err == nil || a.Def.ID.Upstream != "up" || a.Def.Digest == "" {
		t.Errorf("admission %+v", a)
	}
}
