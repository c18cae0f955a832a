package promise_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/schema"
	"mcp-gateway/schema/promise"
)

func TestGuaranteed(t *testing.T) {
	const object = `{"type":"object",`
	for name, tt := range map[string]struct{ schema, pointer, gap string }{
		"required":                   {object + `"properties":{"id":{"type":"string"}},"required":["id"]}`, "/id", ""},
		"an integer":                 {object + `"properties":{"id":{"type":"integer"}},"required":["id"]}`, "/id", ""},
		"a string or an integer":     {object + `"properties":{"id":{"type":["string","integer"]}},"required":["id"]}`, "/id", ""},
		"a list of one type":         {`{"type":["object"],"properties":{"id":{"type":["string"]}},"required":["id"]}`, "/id", ""},
		"a constant":                 {object + `"properties":{"id":{"const":"x"}},"required":["id"]}`, "/id", ""},
		"one of fixed values":        {object + `"properties":{"id":{"enum":["x",1]}},"required":["id"]}`, "/id", ""},
		"not required":               {object + `"properties":{"id":{"type":"string"}}}`, "/id", "/id"},
		"another is required":        {object + `"properties":{"id":{"type":"string"}},"required":["di"]}`, "/id", "/id"},
		"may be null":                {object + `"properties":{"id":{"type":["string","null"]}},"required":["id"]}`, "/id", "/id"},
		"a fixed null":               {object + `"properties":{"id":{"enum":["x",null]}},"required":["id"]}`, "/id", "/id"},
		"without a type":             {object + `"properties":{"id":{}},"required":["id"]}`, "/id", "/id"},
		"an object":                  {object + `"properties":{"id":{"type":"object"}},"required":["id"]}`, "/id", "/id"},
		"true":                       {object + `"properties":{"id":true},"required":["id"]}`, "/id", "/id"},
		"not described":              {object + `"required":["id"]}`, "/id", "/id"},
		"the root may be anything":   {`{"properties":{"id":{"type":"string"}},"required":["id"]}`, "/id", "the value"},
		"the root may be null":       {`{"type":["object","null"],"properties":{"id":{"type":"string"}},"required":["id"]}`, "/id", "the value"},
		"below":                      {object + `"properties":{"a":` + object + `"properties":{"id":{"type":"string"}},"required":["id"]}},"required":["a"]}`, "/a/id", ""},
		"below, the way is optional": {object + `"properties":{"a":` + object + `"properties":{"id":{"type":"string"}},"required":["id"]}}}`, "/a/id", "/a"},
		"below, may be no object":    {object + `"properties":{"a":{"properties":{"id":{"type":"string"}},"required":["id"]}},"required":["a"]}`, "/a/id", "/a"},
		"escaped":                    {object + `"properties":{"a/b~":{"type":"string"}},"required":["a/b~"]}`, "/a~1b~0", ""},
		"by reference":               {object + `"properties":{"id":{"$ref":"#/$defs/id"}},"required":["id"],"$defs":{"id":{"type":"string"}}}`, "/id", ""},
		"by a reference elsewhere":   {object + `"properties":{"id":{"$ref":"https://x.example/id"}},"required":["id"]}`, "/id", "/id"},
		"by a reference into a base": {object + `"properties":{"id":{"$ref":"#/$defs/b/$defs/id"}},"required":["id"],"$defs":{"b":{"$id":"https://x.example/","$defs":{"id":{"type":"string"}}}}}`, "/id", "/id"},
		"beside a reference":         {object + `"properties":{"id":{"$ref":"#/$defs/id","type":"string"}},"required":["id"],"$defs":{"id":{"minLength":1}}}`, "/id", ""},
		"beside a reference, draft 7": {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"id":{"$ref":"#/definitions/id","type":"string"}},` +
			`"required":["id"],"definitions":{"id":{"minLength":1}}}`, "/id", "/id"},
		"in parts":                 {`{"allOf":[{"type":"object"},{"required":["id"]},{"properties":{"id":{"type":"string"}}}]}`, "/id", ""},
		"in every alternative":     {object + `"required":["id"],"oneOf":[{"properties":{"id":{"type":"string"}}},{"properties":{"id":{"type":"integer"}}}]}`, "/id", ""},
		"not in every alternative": {object + `"anyOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"properties":{"error":{"type":"string"}}}]}`, "/id", "/id"},
		"no alternative":           {object + `"anyOf":[]}`, "/id", "/id"},
		"an item":                  {object + `"properties":{"ids":{"type":"array","minItems":1,"items":{"type":"string"}}},"required":["ids"]}`, "/ids/0", ""},
		"an item that may lack":    {object + `"properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"]}`, "/ids/0", "/ids"},
		"the second of a tuple":    {object + `"properties":{"ids":{"type":"array","minItems":2,"prefixItems":[{"type":"null"},{"type":"string"}]}},"required":["ids"]}`, "/ids/1", ""},
		"a circle":                 {object + `"properties":{"id":{"$ref":"#/properties/id"}},"required":["id"]}`, "/id", "/id"},
		"nothing":                  {`false`, "/id", "the value"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := protocol.Check([]byte(tt.schema), protocol.DefaultLimits()); err != nil {
				t.Fatal(err)
			}
			err := promise.Guaranteed([]byte(tt.schema), tt.pointer)
			var gap *promise.Gap
			switch {
			case tt.gap == "" && err != nil:
				t.Errorf("not guaranteed: %v", err)
			case tt.gap != "" && (!errors.As(err, &gap) || gap.At != tt.gap && tt.gap != "the value" || tt.gap == "the value" && gap.At != ""):
				t.Errorf("err = %v, want a gap at %s", err, tt.gap)
			}
		})
	}
}

func TestDeclared(t *testing.T) {
	const s = `{"type":"object","properties":{"a":{"type":"object","properties":{"b/c":{"type":"string"}}},"l":{"type":"array","items":{"properties":{"x":true}}}},` +
		`"anyOf":[{"properties":{"d":{}}},{"$ref":"#/$defs/e"}],"$defs":{"e":{"properties":{"e":{"oneOf":[{"properties":{"f":{}}}]}}}}}`
	for pointer, want := range map[string]bool{
		"/a": true, "/a/b~1c": true, "/d": true, "/e/f": true, "/l/7/x": true, "/l/7": true,
		"/b": false, "/a/b": false, "/l/x": false, "/e/g": false, "/l/07": false, "/a/b~1c/d": false,
	} {
		if got := promise.Declared([]byte(s), pointer); got != want {
			t.Errorf("Declared(%s) = %t", pointer, got)
		}
	}
}

// FuzzGuaranteed holds that what is promised is kept: a value that the schema
// accepts has a string or a number there.
func FuzzGuaranteed(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, `{"id":"1"}`, "/id"},
		{`{"type":"object","oneOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"required":["e"]}]}`, `{"e":1}`, "/id"},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object","required":["id"],"properties":{"id":{"enum":[1,null]}}}}}`, `{"id":null}`, "/id"},
		{`{"type":"array","minItems":1,"items":{"type":"string"}}`, `["x"]`, "/0"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","minItems":2,"items":[{"type":"string"}]}`, `["x",null]`, "/1"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, text, value, pointer string) {
		if pointer != "" && !strings.HasPrefix(pointer, "/") || protocol.Check([]byte(value), protocol.DefaultLimits()) != nil {
			return
		}
		s, err := schema.Compile([]byte(text), schema.Limits{})
		if err != nil || promise.Guaranteed([]byte(text), pointer) != nil {
			return
		}
		if v, err := s.Check([]byte(value)); err != nil || len(v) > 0 {
			return
		}
		if at, ok := protocol.Lookup([]byte(value), pointer); !ok || protocol.Kind(at) != '"' && protocol.Kind(at) != '0' {
			t.Errorf("%s promises %s, and accepts %s", text, pointer, value)
		}
	})
}
