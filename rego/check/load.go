package check

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/util"
)

// Load reads, checks and prepares the policy in a folder: its *.rego files, but
// for *_test.rego, and at most one data.json at the top. Problems name the files
// under prefix. The error is gateway.Problems: all that is wrong at the first
// stage at which something is (reading, parsing, compiling and type checks,
// entry points).
func Load(ctx context.Context, folder fs.FS, prefix string) (*Policy, error) {
	f, err := readPolicy(folder, prefix)
	if err != nil {
		return nil, err
	}
	return compilePolicy(ctx, f)
}

// files are what a policy is made of.
type files struct {
	modules  sources        // Rego by file name
	data     map[string]any // data.json, empty where there is none
	dataFile string         // where it was read
	revision string
}

// readPolicy reads the folder and its sub-folders. Names that start with a dot
// are passed over: Kubernetes keeps the mounted files' real folder under one.
func readPolicy(folder fs.FS, prefix string) (*files, error) {
	out := &files{modules: sources{}, data: map[string]any{}}
	var problems gateway.Problems
	digest := sha256.New()
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		shown := shownAs(prefix, name)
		if err != nil {
			problems = append(problems, gateway.Problem{Pos: gateway.Pos{File: shown}, Code: codeUnreadable, Message: err.Error()})
			return nil
		}
		if name != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !isPolicyFile(name) {
			return nil
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			problems = append(problems, gateway.Problem{Pos: gateway.Pos{File: shown}, Code: codeUnreadable, Message: err.Error()})
			return nil
		}
		writeParts(digest, []byte(name), text)
		problems = append(problems, out.add(name, shown, text)...)
		return nil
	})
	if err != nil {
		problems = append(problems, gateway.Problem{Pos: gateway.Pos{File: prefix}, Code: codeUnreadable, Message: err.Error()})
	}
	if len(problems) == 0 && len(out.modules) == 0 {
		problems = append(problems, gateway.Problem{Pos: gateway.Pos{File: prefix}, Code: codeEmpty, Message: "no *.rego file here, so nothing could ever be allowed"})
	}
	if len(problems) > 0 {
		return nil, inOrder(problems)
	}
	out.revision = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	return out, nil
}

// shownAs is the name that problems give.
func shownAs(prefix, name string) string { return filepath.Join(prefix, filepath.FromSlash(name)) }

// isPolicyFile says whether a file takes part in serving.
func isPolicyFile(name string) bool {
	switch path.Ext(name) {
	case ".rego":
		return !strings.HasSuffix(name, "_test.rego")
	case ".json", ".yaml", ".yml":
		return strings.TrimSuffix(path.Base(name), path.Ext(name)) == "data"
	default:
		return false
	}
}

// add takes one file in.
func (f *files) add(name, shown string, text []byte) gateway.Problems {
	if path.Ext(name) == ".rego" {
		f.modules[shown] = string(text)
		return nil
	}
	fault := func(message string) gateway.Problems {
		return gateway.Problems{{Pos: gateway.Pos{File: shown}, Code: codeData, Message: message}}
	}
	if name != "data.json" {
		return fault("data is read from data.json at the top of the folder only")
	}
	if err := protocol.Check(text, dataLimits()); err != nil {
		return fault("not strict JSON within limits: " + err.Error())
	}
	f.dataFile = shown
	if err := util.UnmarshalJSON(text, &f.data); err != nil || f.data == nil {
		return fault("not a JSON object")
	}
	return nil
}

// dataLimits are those of any message, but for its size: grants of a large
// organisation are data too.
func dataLimits() protocol.Limits {
	lim := protocol.DefaultLimits()
	lim.Bytes = 64 << 20
	return lim
}

// writeParts feeds a digest so that no two lists of parts read alike.
func writeParts(w io.Writer, parts ...[]byte) {
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		w.Write(n[:])
		w.Write(p)
	}
}

// missing says which entry point a policy lacks.
func missing(entry Phase) gateway.Problem {
	how := "write `visible contains id if …` in package mcp.gateway"
	if entry == contract.PhaseDecision {
		how = "write `decision := {\"effect\": …, \"reasons\": …}`, or `allow`, `deny` and `ask`, in package mcp.gateway"
	}
	return gateway.Problem{Code: codeEntryMissing, Message: fmt.Sprintf("no rule data.mcp.gateway.%s: %s", entry, how)}
}
