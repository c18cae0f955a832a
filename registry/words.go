package registry

import (
	"mcp-gateway/registry/identity"
	"mcp-gateway/registry/listed"
	"mcp-gateway/registry/review"
)

// Definition is one thing as its upstream listed it; see package listed.
type Definition = listed.Definition

// List is what is known of an upstream's last list; see package listed.
type List = listed.List

// Profile is what an upstream was observed to be; see package identity.
type Profile = identity.Profile

// The reviewers' words; see package review.
type (
	// Record is one reviewer's word about one thing that is offered.
	Record = review.Record
	// UpstreamRecord is a reviewer's word about an upstream itself.
	UpstreamRecord = review.UpstreamRecord
	// Exposure is a whole exposure.yaml.
	Exposure = review.Exposure
)
