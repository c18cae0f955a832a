package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// Codes of what may be wrong with a bundle, beside those of its policy.
const (
	CodeUnreadable = "bundle_unreadable"      // truncated, no bundle, or not as its signature says
	CodeUnsigned   = "bundle_unsigned"        // no signature where one is needed
	CodeForeign    = "bundle_foreign_roots"   // it claims roots that are not a policy's
	CodeRolledBack = "bundle_rolled_back"     // older than the one that was in force
	CodeTampered   = "bundle_signature_wrong" // signed by another key, or changed since
	CodeRoots      = "bundle_roots_conflict"  // it claims what another bundle of the policy holds
)

// maxBytes bounds what a bundle holds, unpacked.
const maxBytes = 64 << 20

// Trust says which bundles are taken.
type Trust struct {
	Key      []byte // PEM of the public key; nil only with Unsigned
	Unsigned bool   // take bundles without a signature
	After    int64  // the sequence that was in force; older ones are refused
	Past     []Mark // of those that were in force before; they are refused as well
}

// Mark is the digest of what a bundle's signer signed, its manifest included: by it a
// bundle that was replaced is known when it comes again, however it is wrapped or its
// signature written. The zero Mark is nobody's.
type Mark [sha256.Size]byte

// Bundle is what was read from a bundle.
type Bundle struct {
	Policy   *check.Policy // that it makes alone; nil of one that was only opened
	Revision string        // "sha256:…" over its policies and data
	Label    string        // the revision that its manifest names, for people
	Sequence int64         // later bundles have higher ones; 0 = not said
	Roots    []string      // below which its rules and data lie; "" is everything
	Mark     Mark          // zero if nobody signed it
	Raw      []byte        // as it came
	source   check.Source
}

// Read reads, verifies and checks a bundle that is a policy of its own. shown names
// it in problems. The error is gateway.Problems.
func Read(ctx context.Context, shown string, raw []byte, t Trust) (*Bundle, error) {
	b, err := Open(shown, raw, t)
	if err != nil {
		return nil, err
	}
	if b.Policy, err = Join(ctx, []Member{{Shown: shown, Bundle: b}}); err != nil {
		return nil, err
	}
	return b, nil
}

// Open reads and verifies a bundle; what its rules say is for Join to check. shown
// names it in problems. The error is gateway.Problems.
func Open(shown string, raw []byte, t Trust) (out *Bundle, err error) {
	fault := func(code, format string, args ...any) error {
		return gateway.Problems{{Pos: gateway.Pos{File: shown}, Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	defer func() {
		if r := recover(); r != nil { // a stranger's bytes end no gateway
			out, err = nil, fault(CodeUnreadable, "reading it panicked: %v", r)
		}
	}()
	b, err := open(shown, raw, t)
	if err != nil {
		return nil, err
	}
	out = &Bundle{Label: b.Manifest.Revision, Sequence: sequence(b.Manifest.Metadata), Roots: []string{""}, Raw: raw}
	if b.Manifest.Roots != nil {
		out.Roots = *b.Manifest.Roots
	}
	for _, root := range out.Roots {
		if overlap(root, "system") && root != "" {
			return nil, fault(CodeForeign, "it claims the root %q, which is not for policies", root)
		}
	}
	if t.Key != nil { // what nobody vouches for is no mark of anything
		out.Mark = markOf(b.Signatures.Signatures)
	}
	switch {
	case out.Sequence < t.After:
		return nil, fault(CodeRolledBack, "its sequence is %d, and %d was in force", out.Sequence, t.After)
	case t.Key != nil && slices.Contains(t.Past, out.Mark):
		return nil, fault(CodeRolledBack, "it was in force before, and was replaced since: to go back, build the old rules anew, with another revision or sequence")
	}
	out.source = check.Source{Modules: map[string]string{}, Data: b.Data}
	for _, m := range b.Modules {
		if !strings.HasSuffix(m.Path, "_test.rego") {
			out.source.Modules[shown+"!"+m.Path] = string(m.Raw)
		}
	}
	if out.Revision, err = revision(b); err != nil {
		return nil, fault(CodeUnreadable, "%v", err)
	}
	out.source.Revision = out.Revision
	return out, nil
}

// open reads and verifies the archive.
func open(shown string, raw []byte, t Trust) (*bundle.Bundle, error) {
	fault := func(code, message string) error {
		return gateway.Problems{{Pos: gateway.Pos{File: shown}, Code: code, Message: message}}
	}
	verification, err := t.verification()
	if err != nil {
		return nil, fault(CodeUnsigned, err.Error())
	}
	has, err := survey(raw)
	if err != nil {
		return nil, fault(CodeUnreadable, err.Error())
	}
	if verification != nil && !has {
		return nil, fault(CodeUnsigned, "it is not signed")
	}
	b, err := parsed(raw, verification)
	var parse ast.Errors
	switch {
	case err == nil:
		return &b, nil
	case errors.As(err, &parse):
		return nil, fault(ast.ParseErr, parse.Error())
	case verification != nil && readable(raw):
		return nil, fault(CodeTampered, "its signature does not fit, so another key signed it, or it was changed since: "+err.Error())
	}
	return nil, fault(CodeUnreadable, err.Error())
}

func parsed(raw []byte, verification *bundle.VerificationConfig) (bundle.Bundle, error) {
	return bundle.NewReader(bytes.NewReader(raw)).WithSizeLimitBytes(maxBytes).WithProcessAnnotations(true).
		WithCapabilities(check.Capabilities()).WithRegoVersion(ast.RegoV1).
		WithBundleVerificationConfig(verification).WithSkipBundleVerification(verification == nil).Read()
}

// readable says whether it is the signature alone that is wrong.
func readable(raw []byte) bool {
	_, err := parsed(raw, nil)
	return err == nil
}

var errNoKey = errors.New("there is no key to verify it by")

// verification is how OPA verifies a bundle; nil for one that need not be signed.
func (t Trust) verification() (*bundle.VerificationConfig, error) {
	if t.Key == nil {
		if t.Unsigned {
			return nil, nil
		}
		return nil, errNoKey
	}
	alg, err := algorithm(t.Key)
	if err != nil {
		return nil, err
	}
	keys := map[string]*bundle.KeyConfig{keyID: {Key: string(t.Key), Algorithm: alg}}
	return bundle.NewVerificationConfig(keys, keyID, "", nil), nil
}

var errLarge = fmt.Errorf("it unpacks to more than %d MiB", maxBytes>>20)

// survey walks the archive to its end, and says whether a signature is in it. An
// archive that is cut, or unpacks to more than is taken, is an error before OPA
// looks at it.
func survey(raw []byte) (signed bool, err error) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return false, err
	}
	bound := &io.LimitedReader{R: z, N: maxBytes + 1}
	for t := tar.NewReader(bound); ; {
		h, err := t.Next()
		switch {
		case bound.N <= 0:
			return false, errLarge
		case errors.Is(err, io.EOF):
			_, err = io.Copy(io.Discard, bound) // the checksum comes last
			return signed, err
		case err != nil:
			return false, err
		}
		signed = signed || bundle.IsSignaturesFile(h.Name)
	}
}

// markOf is the digest of the payloads of verified JWTs: a signature may be written in
// more than one way, and what it signs in one.
func markOf(tokens []string) Mark {
	digest := sha256.New()
	for _, token := range tokens {
		_, payload, _ := strings.Cut(token, ".")
		payload, _, _ = strings.Cut(payload, ".")
		signed, err := base64.RawURLEncoding.DecodeString(payload)
		if err != nil {
			signed = []byte(payload)
		}
		fmt.Fprintf(digest, "%d:%s", len(signed), signed)
	}
	return Mark(digest.Sum(nil))
}

// sequence reads the manifest's metadata.sequence.
func sequence(metadata map[string]any) int64 {
	switch n := metadata["sequence"].(type) {
	case json.Number:
		i, err := n.Int64()
		if err == nil {
			return i
		}
	case float64:
		return int64(n)
	}
	return 0
}
