package pack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// Build says how a bundle is made.
type Build struct {
	Key      []byte // PEM of the private key that signs; nil = unsigned
	Label    string // revision, for people
	Sequence int64  // higher than that of the bundle before
	// Roots are what a part of a policy holds, such as mcp/gateway: the other bundles
	// hold the rest, so it is not checked by itself. None: it is a policy, and is.
	Roots []string
}

// Make checks the policy of a folder and returns it as a bundle. Tests are left
// out. The error is gateway.Problems where the policy is at fault.
func Make(ctx context.Context, folder fs.FS, shown string, o Build) ([]byte, error) {
	raw, err := o.pack(ctx, folder, shown)
	if err == nil {
		_, err = Open(shown, raw, Trust{Unsigned: true}) // it lies below its roots
	}
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func (o *Build) pack(ctx context.Context, folder fs.FS, shown string) ([]byte, error) {
	roots := o.Roots
	if len(roots) == 0 {
		roots = []string{""}
		if _, err := check.Load(ctx, folder, shown); err != nil {
			return nil, err
		}
	}
	s, err := check.LoadSuite(folder, shown)
	if err != nil {
		return nil, err
	}
	b := bundle.Bundle{Data: s.Data, Manifest: bundle.Manifest{
		Revision: o.Label, Roots: &roots, Metadata: map[string]any{"sequence": o.Sequence},
	}}
	b.Manifest.SetRegoVersion(ast.RegoV1)
	for name, m := range s.Own {
		path := "/" + strings.TrimPrefix(strings.TrimPrefix(name, shown), "/")
		b.Modules = append(b.Modules, bundle.ModuleFile{URL: path, Path: path, RelativePath: path, Raw: []byte(s.Texts[name]), Parsed: m})
	}
	slices.SortFunc(b.Modules, func(x, y bundle.ModuleFile) int { return cmp.Compare(x.Path, y.Path) })
	if o.Key != nil {
		alg, err := algorithm(o.Key)
		if err != nil {
			return nil, err
		}
		if err := b.GenerateSignature(bundle.NewSigningConfig(string(o.Key), alg, ""), keyID, true); err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
	}
	var out bytes.Buffer
	err = bundle.NewWriter(&out).UseModulePath(true).DisableFormat(true).Write(b)
	return out.Bytes(), err
}

// revision is "sha256:" and the digest over a bundle's policies and data: two
// bundles that decide alike have one.
func revision(b *bundle.Bundle) (string, error) {
	data, err := json.Marshal(b.Data)
	if err != nil {
		return "", err
	}
	parts := [][]byte{data}
	files := slices.Clone(b.Modules)
	slices.SortFunc(files, func(x, y bundle.ModuleFile) int { return cmp.Compare(x.Path, y.Path) })
	for _, m := range files {
		parts = append(parts, []byte(m.Path), m.Raw)
	}
	digest := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(digest, "%d:", len(p))
		digest.Write(p)
	}
	return "sha256:" + hex.EncodeToString(digest.Sum(nil)), nil
}
