package run

import (
	"os"
	"path/filepath"
	"slices"

	"maps"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// identify says what an upstream is that gave a list. Files are read at every list:
// one that changed under a running process is the next process's program.
func (g *Gateway) identify(id string, l *registry.Listing) gateway.Digest {
	p := g.planned.Load()
	if p == nil || p.config.Upstreams[id] == nil {
		return ""
	}
	return IdentityOf(p.config, p.exposure, id, l)
}

// IdentityOf returns the digest of what an upstream is by the configuration, by the
// files that its review declares, and by what it said when it was met.
func IdentityOf(c *config.Config, x *registry.Exposure, id string, l *registry.Listing) gateway.Digest {
	u := c.Upstreams[id]
	f := identity.Facts{Revision: l.Revision, Capabilities: l.Capabilities}
	if u.HTTP != nil {
		f.URL = u.HTTP.URL
		return f.Digest()
	}
	f.Argv, f.Dir = u.Stdio.Command, u.Stdio.Dir
	f.Env = slices.Concat(u.Stdio.PassEnv, slices.Collect(maps.Keys(u.Stdio.Env)))
	if rec := x.Upstream(id); rec != nil {
		f.Files = FilesOf(c, slices.Collect(maps.Keys(rec.Files)))
	}
	return f.Digest()
}

// FilesOf returns the digests of files as they are now; relative ones are beside
// exposure.yaml. One that can't be read has none: "".
func FilesOf(c *config.Config, paths []string) map[string]gateway.Digest {
	files := make(map[string]gateway.Digest, len(paths))
	for _, path := range paths {
		at := path
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(c.Exposure), at)
		}
		text, err := os.ReadFile(at)
		if err != nil {
			files[path] = ""
			continue
		}
		files[path] = identity.Bytes(text)
	}
	return files
}
