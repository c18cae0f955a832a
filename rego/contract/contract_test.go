package contract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego/contract"
)

// What authors point their editors at is what the checker uses.
func TestTheSchemaIsPublished(t *testing.T) {
	published, err := os.ReadFile("../../docs/policy-input.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, contract.Document()) {
		t.Error("docs/policy-input.schema.json is another one: copy rego/contract/input.schema.json")
	}
}

func TestEachPhaseIsADocumentOfItsOwn(t *testing.T) {
	for _, p := range contract.Phases() {
		var s struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Properties  map[string]any
			Definitions map[string]any
		}
		if err := json.Unmarshal(contract.Schema(p), &s); err != nil {
			t.Fatal(err)
		}
		if s.Schema != "http://json-schema.org/draft-07/schema#" || s.ID != "urn:mcp-gateway:policy:input:"+string(p)+":1" || s.Properties["subject"] == nil || s.Definitions["facts"] == nil {
			t.Errorf("%s: %+v", p, s)
		}
	}
	if contract.Schema("subject") != nil {
		t.Error("a schema for a phase that is not there")
	}
}

// Arguments are there where a call is decided, and nowhere else; a name says of
// every unverified fact that it is one.
func TestShapes(t *testing.T) {
	for phase, want := range map[contract.Phase]bool{contract.PhaseVisible: false, contract.PhaseDecision: true, contract.PhaseResult: false} {
		resource := contract.Input(phase).Fields["resource"]
		if has := resource != nil && resource.Fields["arguments"] != nil; has != want {
			t.Errorf("%s has arguments: %v", phase, has)
		}
		for _, path := range contract.Input(phase).Claims() {
			if !strings.Contains(path, "_untrusted") {
				t.Errorf("%s: %s is unverified and does not say so", phase, path)
			}
		}
	}
	whole := contract.Input(contract.Phases()...)
	if got := whole.Fields["action"].Fields["name"].Enum; !slices.Contains(got, "list") || !slices.Contains(got, "tools/call") {
		t.Errorf("action.name knows %v", got)
	}
	if len(whole.Claims()) < 5 {
		t.Errorf("claims %v", whole.Claims())
	}
}
