package exposure

import (
	"mcp-gateway/config/form"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// maxFile bounds an exposure.yaml, in bytes: about 20,000 records.
const maxFile = 8 << 20

// Load reads an exposure.yaml. Its error is a gateway.Problems that
// holds every fault of the file; a file that is not there is one of them, with
// code "not_found".
func Load(path string) (*registry.Exposure, error) {
	return fromDocument(form.Open(path, maxFile))
}

func fromDocument(doc *form.Document) (*registry.Exposure, error) {
	tools := map[string]map[string]*registry.Record{}
	doc.Read(file(&tools))
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, problems
	}
	x := &registry.Exposure{Tools: map[gateway.ToolID]*registry.Record{}, Revision: doc.Revision()}
	for upstream, records := range tools {
		for tool, rec := range records {
			x.Tools[gateway.ToolID{Upstream: upstream, Tool: tool}] = rec
		}
	}
	return x, nil
}
