package schema_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema"
)

const inputSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
	"title":{"type":"string","minLength":1,"maxLength":200,"description":"What happened"},
	"severity":{"type":"string","enum":["P1","P2","P3","P4"]},
	"service":{"type":"string","pattern":"^[a-z][a-z0-9-]{1,40}$"},
	"window_minutes":{"type":"integer","minimum":1,"maximum":30},
	"error_rate":{"type":"number","minimum":0,"maximum":1},
	"evidence_ids":{"type":"array","items":{"type":"string"},"maxItems":20},
	"notify":{"type":"boolean","default":false},
	"owner":{"anyOf":[{"type":"string"},{"type":"null"}]}},
	"required":["title","severity","service"],"additionalProperties":false}`

const smallArgs = `{"title":"Checkout failures above budget","severity":"P1","service":"payments","window_minutes":5,"error_rate":0.182,` +
	`"evidence_ids":["status-payments-0001","deploy-payments-0042"],"notify":true,"owner":"sre-oncall@example.com"}`

const outputSchema = `{"type":"object","properties":{"rows":{"type":"array","items":{"$ref":"#/$defs/row"}},"total":{"type":"integer"},"next":{"type":["string","null"]}},
	"required":["rows","total"],"$defs":{"row":{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"},
	"rate":{"type":"number"},"ok":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","at"]}}}`

func rows(n int) string {
	row := `{"id":"deploy-payments-0042","at":"2026-09-01T00:00:00Z","rate":0.182,"ok":true,"tags":["a","b"]},`
	return fmt.Sprintf(`{"rows":[%s],"total":%d,"next":null}`, strings.TrimSuffix(strings.Repeat(row, n), ","), n)
}

// A call's arguments and its result, both small and valid, must cost next to
// nothing beside the 430 allocations of a whole call.
func TestSmallValuesAllocations(t *testing.T) {
	in, out := compile(t, inputSchema), compile(t, outputSchema)
	args, result := []byte(smallArgs), []byte(rows(2))
	n := testing.AllocsPerRun(100, func() {
		for s, v := range map[*schema.Schema][]byte{in: args, out: result} {
			if vs, err := s.Check(v); vs != nil || err != nil {
				t.Fatal(vs, err)
			}
		}
		in.Undeclared(args)
	})
	if n > 60 {
		t.Errorf("%v allocations for both checks, want at most 60", n)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(b, inputSchema)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, bm := range []struct{ name, schema, value string }{
		{"args-0.24KB", inputSchema, smallArgs},
		{"args-0.24KB-invalid", inputSchema, strings.Replace(smallArgs, "P1", "P9", 1)},
		{"output-1KB", outputSchema, rows(10)},
		{"output-100KB", outputSchema, rows(1000)},
		{"output-100KB-invalid", outputSchema, strings.Replace(rows(1000), `null}`, `1}`, 1)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			s, value := compile(b, bm.schema), []byte(bm.value)
			b.ReportAllocs()
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				if _, err := s.Check(value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUndeclared(b *testing.B) {
	s, value := compile(b, inputSchema), []byte(smallArgs)
	b.ReportAllocs()
	for b.Loop() {
		if s.Undeclared(value) != nil {
			b.Fatal("a declared member was reported")
		}
	}
}

// BenchmarkLibrary does the work of BenchmarkCheck's large output as the library does it
// alone: decode, then validate.
func BenchmarkLibrary(b *testing.B) {
	s, value := compile(b, outputSchema), []byte(rows(1000))
	b.ReportAllocs()
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil || !schema.LibraryAccepts(s, decoded) {
			b.Fatal(err)
		}
	}
}
