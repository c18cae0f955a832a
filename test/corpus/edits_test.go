package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// object is decoded JSON whose numbers keep the digits that they were sent with.
type object = map[string]any

func decode(t *testing.T, raw []byte) object {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o object
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value in %.200s", raw)
	}
	return o
}

// edits counts, by kind, what the gateway may change of a definition.
type edits map[string]int

// exposed is the name of a tool on the endpoint of all upstreams: that of its
// upstream before it; what is over 64 bytes ends in a digest of the whole.
func exposed(upstream, tool string) string {
	full := upstream + "__" + tool
	if len(full) <= 64 {
		return full
	}
	return fmt.Sprintf("%s_%x", full[:55], sha256.Sum256([]byte(full)))[:64]
}

// apply returns the definition as a host must see it under a name. It is the
// whole list of what may differ; nothing here is taken from the gateway's own
// rendering.
func (e edits) apply(tool object, name string) object {
	shown := object{"name": name}
	for _, member := range slices.Sorted(maps.Keys(tool)) {
		value := tool[member]
		switch member {
		case "name", "annotations":
		case "title", "description", "inputSchema", "outputSchema":
			if value == nil {
				e[member+": null dropped"]++
				continue
			}
			shown[member] = e.clean(value, strings.HasSuffix(member, "Schema"))
		default:
			e[member+": dropped"]++
		}
	}
	e.annotate(tool, shown)
	return shown
}

// hints are what a host is told of a tool that was reviewed as a read of which
// nothing else is known.
func hints() object {
	return object{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": true}
}

// annotate puts the reviewed facts in the place of the upstream's claims: every
// definition here is approved as a read and nothing else is said of it.
func (e edits) annotate(tool, shown object) {
	reviewed := hints()
	shown["annotations"] = reviewed
	claims, ok := tool["annotations"].(object)
	if !ok {
		e["annotations: added, from the review"]++
		return
	}
	e["annotations: replaced, from the review"]++
	for name, claim := range claims {
		switch hint, known := reviewed[name]; {
		case !known:
			e["annotations."+name+": dropped"]++
		case hint != claim:
			e["annotations."+name+": differs from the claim"]++
		}
	}
}

// The members of a schema by what stands in them.
var (
	texts   = []string{"title", "description", "$comment", "examples", "example", "markdownDescription"}
	schemas = []string{
		"additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "contains",
		"propertyNames", "not", "if", "then", "else", "contentSchema", "items", "allOf", "anyOf", "oneOf", "prefixItems",
	}
	named = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)

// clean returns a value with its texts cleaned: all of them, or in a schema
// those that annotate and none that a validator reads.
func (e edits) clean(value any, schema bool) any {
	switch v := value.(type) {
	case string:
		if schema {
			return v
		}
		return e.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.clean(v[i], schema)
		}
		return out
	case object:
		out := make(object, len(v))
		for name, inner := range v {
			out[name] = inner
			switch {
			case !schema || slices.Contains(schemas, name):
				out[name] = e.clean(inner, schema)
			case slices.Contains(texts, name):
				out[name] = e.clean(inner, false)
			case slices.Contains(named, name):
				out[name] = e.each(inner)
			}
		}
		return out
	}
	return value
}

// each cleans an object of schemas, the names of which are the upstream's.
func (e edits) each(value any) any {
	named, ok := value.(object)
	if !ok {
		return value
	}
	out := make(object, len(named))
	for name, inner := range named {
		out[name] = e.clean(inner, true)
	}
	return out
}

// sequence is what a terminal would obey: CSI and OSC.
var sequence = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)")

// hidden is what no reader can see, by the properties that Unicode gives it.
var hidden = []*unicode.RangeTable{
	unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point,
}

// text removes from a text what nobody can see in it.
func (e edits) text(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range sequence.ReplaceAllString(s, "") {
		switch {
		case (r == 0xFE0E || r == 0xFE0F) && last != 0: // shapes the rune before it
			b.WriteRune(r)
			last = 0
		case unicode.In(r, unicode.Zl, unicode.Zp):
			b.WriteByte(' ')
			last = ' '
		case r == '\t' || r == '\n' || r == '\r' || !unicode.In(r, hidden...):
			b.WriteRune(r)
			last = r
		}
	}
	if b.String() != s {
		e["text: cleaned"]++
	}
	return b.String()
}

// difference says where two decoded values first differ; "" if nowhere.
func difference(at string, got, want any) string {
	if reflect.DeepEqual(got, want) {
		return ""
	}
	g, gok := got.(object)
	w, wok := want.(object)
	if gok && wok {
		names := maps.Clone(g)
		maps.Copy(names, w)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if d := difference(at+"/"+name, g[name], w[name]); d != "" {
				return d
			}
		}
	}
	return fmt.Sprintf("%s: got %.300q, want %.300q", at, fmt.Sprint(got), fmt.Sprint(want))
}
