package rego

import (
	"crypto/sha256"
	"encoding/json"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"
)

// question is what a decision answers, without the arguments.
type question struct {
	who      subject
	subjects *subjects
	resource *Resource
	context  Context
	kept     *lru.Cache[keptKey, gateway.Digest] // digests of inputs
}

// keptKey tells inputs apart by what they are made of. A Resource never changes and
// is told by its address.
type keptKey struct {
	subject                          [sha256.Size]byte
	resource                         *Resource
	action, era, revision, transport string
}

// keptInputs bounds how many digests of inputs are known by heart: some 300 bytes
// each, so 40 MB where as many principals call.
const keptInputs = 128 << 10

// Input returns the argument-free input of the decision as canonical JSON:
// what can be kept to explain and replay it. What changes from call to call is
// left out: arguments, time, approval, history and claims. The same question
// asked later has the same Input. It is nil for a Decision that no Engine made.
func (d Decision) Input() []byte {
	if d.asked.resource == nil {
		return nil
	}
	v, err := ast.JSON(d.asked.argumentFree())
	if err != nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return protocol.AppendCanonical(nil, raw)
}

// InputDigest returns the digest of Input. It is computed once for each question,
// and fresh is true when it was: then Input is to be kept.
func (d Decision) InputDigest() (digest gateway.Digest, fresh bool) {
	if d.asked.resource == nil {
		return "", false
	}
	c := &d.asked.context
	key := keptKey{d.asked.who.whole, d.asked.resource, c.Action, c.Era, c.Revision, c.Transport}
	if digest, ok := d.asked.kept.Get(key); ok {
		return digest, false
	}
	digest = protocol.DigestOf(d.Input())
	d.asked.kept.Add(key, digest)
	return digest, true
}

// argumentFree builds what of the input can be kept.
func (q *question) argumentFree() ast.Value {
	return q.input(nil, ast.ObjectTerm(q.context.kept()...))
}

// input builds the input of a call; without arguments there is no such member.
func (q *question) input(arguments, context *ast.Term) ast.Value {
	resource := [...]member{
		{names.kind, word(q.resource.id.Kind.String())},
		{names.id, q.resource.key},
		{names.properties, q.resource.facts},
		{names.arguments, arguments},
	}
	n := len(resource)
	if arguments == nil {
		n--
	}
	return ast.NewObject(
		member{names.subject, q.subjects.term(&q.who)},
		member{names.action, ast.ObjectTerm(member{names.name, word(q.context.Action)})},
		member{names.resource, ast.ObjectTerm(resource[:n]...)},
		member{names.context, context},
	)
}
