package contract

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Version is that of the input. A change that could make a rule mean something
// else is a new version.
const Version = 1

// Phase names one of the questions that policy answers; it is also the name of
// the entry point in package mcp.gateway.
type Phase string

// The phases.
const (
	PhaseVisible  Phase = "visible"  // who may know of what
	PhaseDecision Phase = "decision" // may this call go ahead
	PhaseResult   Phase = "result"   // may what came back be released; only where the policy asks for it
)

// Phases lists all phases in the order in which a call meets them.
func Phases() []Phase { return []Phase{PhaseVisible, PhaseDecision, PhaseResult} }

//go:embed input.schema.json
var document []byte

// Document returns the JSON Schema (draft-07, the newest that OPA's type checker
// reads) with one definition for each phase. The caller may change the slice.
func Document() []byte { return slices.Clone(document) }

// Schema returns the JSON Schema of the phase's input as a document of its own,
// or nil for an unknown phase.
func Schema(phase Phase) []byte {
	tree := Tree(phase)
	if tree == nil {
		return nil
	}
	raw, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		panic("contract: " + err.Error()) // it was read from JSON
	}
	return append(raw, '\n')
}

// Tree is Schema as a value that the caller may change.
func Tree(phase Phase) map[string]any {
	whole := parse()
	definitions := whole["definitions"].(map[string]any)
	schema, ok := definitions[string(phase)].(map[string]any)
	if !ok || !slices.Contains(Phases(), phase) {
		return nil
	}
	for _, p := range Phases() {
		delete(definitions, string(p))
	}
	schema["$schema"] = whole["$schema"]
	schema["$id"] = strings.Replace(whole["$id"].(string), ":input:", ":input:"+string(phase)+":", 1)
	schema["definitions"] = definitions
	return schema
}

func parse() map[string]any {
	var whole map[string]any
	if err := json.Unmarshal(document, &whole); err != nil {
		panic("contract: the embedded schema: " + err.Error())
	}
	return whole
}
