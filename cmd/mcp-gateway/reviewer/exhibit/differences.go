package exhibit

import (
	"encoding/json"
	"io"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
)

// comparison is how a definition differs from the reviewed one, as `tools diff -o json`
// prints it.
type comparison struct {
	Tool     string         `json:"tool"`
	Reviewed gateway.Digest `json:"reviewed"`
	Now      gateway.Digest `json:"now"`
	Changes  []change       `json:"changes"`
}

// change is one difference; the values are those that were sent, null where there is none.
type change struct {
	Change    diff.Kind       `json:"change"`
	Class     diff.Class      `json:"class"`
	Direction diff.Direction  `json:"direction"`
	At        string          `json:"at"`
	Reviewed  json.RawMessage `json:"reviewed"`
	Now       json.RawMessage `json:"now"`
	Words     string          `json:"words,omitempty"`
}

// Differences writes how one thing differs from what was reviewed as one JSON object, and
// ends with cli.Differs where it does. What does not show is escaped.
func Differences(w io.Writer, o *registry.Observation, changes []diff.Change) error {
	x := comparison{Tool: o.ID.String(), Reviewed: o.Record.Definition, Now: o.Digest, Changes: []change{}}
	for _, c := range changes {
		x.Changes = append(x.Changes, change{c.Kind, c.Class, c.Direction, c.Pointer, c.Was, c.Is, c.Words})
	}
	if err := write(w, x); err != nil || len(changes) == 0 {
		return err
	}
	return &cli.Error{Code: cli.Differs}
}
