package corpus

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
)

// own is one definition of our own making with what must come of it.
type own struct {
	Note     string
	Tool     json.RawMessage
	Withheld gateway.Reason    // the reason; "" means that it must be listed
	Drops    []string          // members that a host is not shown
	Cleaned  map[string]string // JSON Pointer → the text that stands there once it is cleaned
}

// Each definition of our own comes out as it says itself: a second opinion on
// the edits, which TestRealDefinitions works out by rule.
func TestOwnDefinitions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "own.json"))
	var cases []own
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	list.WriteString(`{"tools":[`)
	for i, c := range cases {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(c.Tool)
	}
	list.WriteString(`]}`)
	file := filepath.Join(t.TempDir(), "own.json")
	if err := os.WriteFile(file, list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	o, listed := putThrough(t, map[string]string{"own": file})
	o.tell(t)
	for _, c := range cases {
		t.Run(c.Note, func(t *testing.T) { c.check(t, o, listed["own"]) })
	}
}

func (c *own) check(t *testing.T, o *outcome, listed map[string]object) {
	tool := decode(t, c.Tool)
	name, _ := tool["name"].(string)
	got := listed[name]
	if c.Withheld != "" {
		if got != nil {
			t.Errorf("it is listed, want it withheld for %s", c.Withheld)
		}
		if !slices.Contains(o.withheld[c.Withheld], "own/"+name) {
			t.Errorf("it is not withheld for %s", c.Withheld)
		}
		return
	}
	if got == nil {
		t.Fatal("it is not listed")
	}
	for _, member := range c.Drops {
		if _, sent := tool[member]; !sent {
			t.Errorf("%s was never sent", member)
		}
		delete(tool, member)
	}
	tool["annotations"] = hints()
	for pointer, text := range c.Cleaned {
		replace(t, tool, pointer, text)
	}
	if d := difference("", got, tool); d != "" {
		t.Error("it differs at", d)
	}
}

// replace puts a text in the place of another one.
func replace(t *testing.T, in any, pointer, text string) {
	t.Helper()
	path := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for _, name := range path[:len(path)-1] {
		o, _ := in.(object)
		in = o[name]
	}
	o, _ := in.(object)
	last := path[len(path)-1]
	if was, ok := o[last].(string); !ok || was == text {
		t.Fatalf("%s: no text that is cleaned stands there", pointer)
	}
	o[last] = text
}
