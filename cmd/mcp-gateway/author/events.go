package author

import (
	"context"
	"path/filepath"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/store/inputs"
)

// records are the decisions on record of one gateway.
type records struct {
	journal string
	inputs  *inputs.Folder
}

func openRecords(c *config.Config) *records {
	return &records{filepath.Join(c.State.Dir, run.JournalDir), inputs.New(filepath.Join(c.State.Dir, inputs.Name))}
}

// decisions tells of every decision since a time that names its input.
func (r *records) decisions(ctx context.Context, since time.Time, tell func(*audit.Event) error) error {
	return folder.Read(ctx, r.journal, folder.Cursor{}, func(e folder.Entry) error {
		decided := e.Event.Type == audit.ToolDecided || e.Event.Type == audit.ToolRefused
		if !decided || e.Event.Effect == "" || e.Event.Time.Before(since) {
			return nil
		}
		return tell(e.Event)
	})
}

// find returns the decision with that id, or of the action with that id.
func (r *records) find(ctx context.Context, text string) (*audit.Event, error) {
	id, ok := audit.ParseID(text)
	if !ok {
		return nil, cli.Misused("%q is no id; audit query names them", text)
	}
	var found *audit.Event
	err := r.decisions(ctx, time.Time{}, func(e *audit.Event) error {
		if e.ID == id || e.Action == id {
			copied := *e
			found = &copied
		}
		return nil
	})
	if err == nil && found == nil {
		err = &cli.Error{Code: cli.Failed, Text: "error: no decision with this id is on record here"}
	}
	return found, err
}

// input returns what policy was asked, without the arguments.
func (r *records) input(digest gateway.Digest) ([]byte, error) {
	if digest == "" {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: the event names no input: it could not be kept"}
	}
	return r.inputs.Get(digest)
}
