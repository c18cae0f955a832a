package past

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/proxy/call"
)

// Fates reads a journal, given by its folder. It implements call.Fates.
type Fates string

// Alive implements call.Fates.
func (f Fates) Alive(writer string) bool {
	w, ok := journal.ParseWriter(writer)
	return ok && journal.Alive(string(f), w)
}

// Fate implements call.Fates.
func (f Fates) Fate(ctx context.Context, writer, action string) (call.Fate, error) {
	w, ok := journal.ParseWriter(writer)
	id, known := audit.ParseID(action)
	if !ok || !known {
		return call.Fate{}, nil
	}
	found, err := journal.FateOf(ctx, string(f), w, id)
	return call.Fate{Decided: found.Decided, Finished: found.Finished, Outcome: found.Outcome, Code: found.Code}, err
}
