package codes

import (
	"context"
	"maps"
	"os"

	"mcp-gateway/config"
	"mcp-gateway/rego"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/pack"
)

// Of returns the codes of the policy that stands in the configuration's folder or
// files, or is shipped, also as they are noted in the modes that it has them in.
func Of(ctx context.Context, c *config.Config) []string {
	if c == nil {
		return nil
	}
	var all []string
	for code, mode := range words(ctx, c) {
		all = append(all, string(code))
		switch mode {
		case contract.ModeWarn:
			all = append(all, "warned."+string(code))
		case contract.ModeAudit:
			all = append(all, "watched."+string(code))
		}
	}
	return all
}

// words are none where the policy does not load: words only help, and policy check says
// what is wrong.
func words(ctx context.Context, c *config.Config) contract.Words {
	delivered := c.Policy.Delivered()
	if len(delivered) == 0 {
		p, err := rego.Check(ctx, c.Policy.Dir)
		if err != nil {
			return nil
		}
		return p.Words
	}
	all := contract.Words{}
	for _, b := range delivered {
		raw, err := os.ReadFile(b.File) // of one that a service delivers, events alone tell
		if err != nil {
			continue
		}
		if read, err := pack.Read(ctx, b.File, raw, pack.Trust{Unsigned: true}); err == nil {
			maps.Copy(all, read.Policy.Words)
		}
	}
	return all
}
