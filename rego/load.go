package rego

import (
	"context"
	"os"
	"time"

	"mcp-gateway/rego/check"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/policy"

	"github.com/open-policy-agent/opa/v1/ast"
)

// DefaultTimeout is how long one evaluation may work where Options say nothing.
const DefaultTimeout = 50 * time.Millisecond

// Options say where the policy lies and how long it may take.
type Options struct {
	Dir      string           // folder of *.rego and at most one data.json; "" = the shipped policy
	Timeout  time.Duration    // of the work on one decision, and on each hundred resources of a list; 0 = DefaultTimeout
	Now      func() time.Time // clock for the timeout; nil = time.Now
	Uncached bool             // decide anew each time

	Evaluated func() // is told of each evaluation; nil for none
}

// Load reads, checks and prepares the policy. Files named *_test.rego are left
// to the test runner. The error is gateway.Problems: all that is wrong at the
// first stage at which something is (reading, parsing, compiling and type
// checks, entry points).
func Load(ctx context.Context, o Options) (*Engine, error) {
	checked, err := Check(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	return New(checked, o)
}

// Check reads and checks the policy of a folder, "" for the shipped one.
func Check(ctx context.Context, dir string) (*check.Policy, error) {
	if dir == "" {
		return check.Load(ctx, policy.Files(), "(shipped policy)")
	}
	return check.Load(ctx, os.DirFS(dir), dir)
}

// New makes an engine of a checked policy. Dir plays no part.
func New(p *check.Policy, o Options) (*Engine, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return newEngine(p, o)
}

// NoRevision is the revision of None.
const NoRevision = "none"

// None is an engine without a policy: nothing is visible, and every decision is a
// denial, by ReasonPolicyAbsent. It stands where none was delivered yet.
func None() *Engine {
	e, err := newEngine(&check.Policy{Revision: NoRevision}, Options{Now: time.Now, Timeout: DefaultTimeout, Uncached: true})
	if err != nil {
		panic(err) // two caches of constant size: cannot fail
	}
	e.none = true
	return e
}

// Ready says whether there is a policy.
func (e *Engine) Ready() bool { return !e.none }

// Phase is contract.Phase.
type Phase = contract.Phase

// The phases; each is also the name of its entry point in package mcp.gateway.
const (
	PhaseVisible  = contract.PhaseVisible
	PhaseDecision = contract.PhaseDecision
	PhaseResult   = contract.PhaseResult
)

// InputSchema returns the JSON Schema (draft-07) of the phase's input, or nil
// for an unknown phase. The caller may change the slice.
func InputSchema(phase Phase) []byte { return contract.Schema(phase) }

// Capabilities returns the built-ins that a policy may use.
// `opa check --capabilities` takes its JSON form.
func Capabilities() *ast.Capabilities { return check.Capabilities() }
