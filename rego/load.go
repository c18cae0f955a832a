package rego

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"time"

	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
)

//go:embed policy/*.rego
var shipped embed.FS

// DefaultTimeout is how long one evaluation may take where Options say nothing.
const DefaultTimeout = 50 * time.Millisecond

// Options say where the policy lies and how long it may take.
type Options struct {
	Dir     string           // folder of *.rego and at most one data.json; "" = the shipped policy
	Timeout time.Duration    // of one decision, and of each hundred resources of a list; 0 = DefaultTimeout
	Now     func() time.Time // clock for the timeout; nil = time.Now
}

// Load reads, checks and prepares the policy. Files named *_test.rego are left
// to the test runner. The error is gateway.Problems: all that is wrong at the
// first stage at which something is (reading, parsing, compiling and type
// checks, entry points).
func Load(ctx context.Context, o Options) (*Engine, error) {
	folder, shown := os.DirFS(o.Dir), o.Dir
	if o.Dir == "" {
		var err error
		if folder, err = fs.Sub(shipped, "policy"); err != nil {
			return nil, err
		}
		shown = "(shipped policy)"
	}
	policy, err := check.Load(ctx, folder, shown)
	if err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return newEngine(policy, o)
}

// Phase names one of the two questions that policy answers.
type Phase = check.Phase

// The phases; each is also the name of its entry point in package mcp.gateway.
const (
	PhaseVisible  = check.PhaseVisible
	PhaseDecision = check.PhaseDecision
)

// InputSchema returns the JSON Schema (draft-07) of the phase's input, or nil
// for an unknown phase. The caller may change the slice.
func InputSchema(phase Phase) []byte { return check.InputSchema(phase) }

// Capabilities returns the built-ins that a policy may use.
// `opa check --capabilities` takes its JSON form.
func Capabilities() *ast.Capabilities { return check.Capabilities() }
