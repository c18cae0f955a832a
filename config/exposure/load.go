package exposure

import (
	"errors"
	"io/fs"
	"os"
	"strings"

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
	var said sections
	doc.Read(file(&said))
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, problems
	}
	x := &registry.Exposure{Items: map[gateway.ItemID]*registry.Record{}, Upstreams: said.upstreams, Revision: doc.Revision()}
	enter(x, gateway.KindTool, said.tools)
	enter(x, gateway.KindPrompt, said.prompts)
	for upstream, records := range said.resources {
		for name, rec := range records {
			kind := gateway.KindResource
			if strings.Contains(name, "{") {
				kind = gateway.KindTemplate
			}
			x.Items[gateway.ItemID{Kind: kind, Upstream: upstream, Name: name}] = rec
		}
	}
	return x, nil
}

func enter(x *registry.Exposure, kind gateway.Kind, said byUpstream) {
	for upstream, records := range said {
		for name, rec := range records {
			x.Items[gateway.ItemID{Kind: kind, Upstream: upstream, Name: name}] = rec
		}
	}
}

// LoadAny is Load, but a file that is not there reviews nothing.
func LoadAny(path string) (*registry.Exposure, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return None(), nil
	}
	return Load(path)
}

// None reviews nothing.
func None() *registry.Exposure {
	return &registry.Exposure{Items: map[gateway.ItemID]*registry.Record{}, Revision: "none"}
}
