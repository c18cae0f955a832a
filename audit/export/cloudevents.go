package export

import (
	"encoding/json"

	"mcp-gateway/audit"
)

// CloudEvents returns the event in the envelope of CloudEvents 1.0 (JSON format,
// structured). Its id is the event's, so that what comes twice is known.
func CloudEvents(e *audit.Event) ([]byte, error) {
	out := object{
		"specversion": "1.0", "id": e.ID.String(), "source": "/mcp-gateway/" + string(e.Replica),
		"type": "mcp-gateway." + string(e.Type), "time": e.Time.UTC().Format("2006-01-02T15:04:05.000000000Z"),
		"datacontenttype": "application/json", "data": eventObject(e),
	}
	put(out, "subject", string(e.Tool))
	return json.Marshal(out)
}
