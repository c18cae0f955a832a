package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// table is calls.json.
type table struct {
	Sees  map[string][]string `json:"sees"` // exposed names by caller, in order
	Calls []step              `json:"calls"`
}

// step is one call, and what must come of it: a code of the gateway, or else a
// result in which everything named is found.
type step struct {
	Title      string          `json:"title"`
	As         string          `json:"as"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Code       string          `json:"code"`
	Failed     bool            `json:"failed"` // the upstream's own isError
	Structured json.RawMessage `json:"structured"`
	Text       string          `json:"text"`  // how the first text begins
	Image      string          `json:"image"` // a media type
}

func readTable(path string) (*table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	t := &table{}
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(t.Sees) == 0 || len(t.Calls) == 0 {
		return nil, fmt.Errorf("%s: nothing to check", path)
	}
	return t, nil
}

// check says what is wrong with what came of a call, if anything.
func (s *step) check(result *mcp.CallToolResult, err error) (refusal, error) {
	r, err := refused(result, err)
	if err != nil {
		return r, err
	}
	return r, s.compare(r, result)
}

func (s *step) compare(r refusal, result *mcp.CallToolResult) error {
	switch {
	case r.Code != s.Code:
		return fmt.Errorf("code %q, want %q", r.Code, s.Code)
	case s.Code != "":
		return nil
	case result.IsError != s.Failed:
		return fmt.Errorf("isError %v: %s", result.IsError, text(result))
	case !strings.HasPrefix(text(result), s.Text):
		return fmt.Errorf("text %q, want %q", text(result), s.Text)
	case s.Image != "" && !shows(result, s.Image):
		return fmt.Errorf("no %s in the result", s.Image)
	case s.Structured != nil:
		return same(result.StructuredContent, s.Structured)
	}
	return nil
}

// refusal is what the gateway says of a call that it did not let through, or
// whose result it withheld; empty if it says nothing.
type refusal struct {
	Code string `json:"code"`
	ID   string `json:"id"` // by which the operator finds the call
}

// refused reads a refusal. It stands in the data of a JSON-RPC error, or in the
// _meta of a tool result.
func refused(result *mcp.CallToolResult, err error) (refusal, error) {
	var r refusal
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire) && json.Unmarshal(wire.Data, &r) == nil && r.Code != "":
		return r, nil
	case err != nil:
		return r, err
	}
	raw, err := json.Marshal(result.Meta["mcp-gateway/error"])
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(raw, &r)
	return r, err
}

func text(result *mcp.CallToolResult) string {
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

func shows(result *mcp.CallToolResult, mediaType string) bool {
	for _, c := range result.Content {
		if i, ok := c.(*mcp.ImageContent); ok && i.MIMEType == mediaType && len(i.Data) > 0 {
			return true
		}
	}
	return false
}

func same(got any, want json.RawMessage) error {
	var wanted any
	if err := json.Unmarshal(want, &wanted); err != nil {
		return err
	}
	a, err := json.Marshal(got)
	if err != nil {
		return err
	}
	b, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("structuredContent %s, want %s", a, b)
	}
	return nil
}
