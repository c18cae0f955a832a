package registry

import (
	"mcp-gateway/registry/listed"
	"mcp-gateway/registry/review"
)

// Definition is one thing as its upstream listed it; see package listed.
type Definition = listed.Definition

// The reviewers' words; see package review.
type (
	// Record is one reviewer's word about one thing that is offered.
	Record = review.Record
	// UpstreamRecord is a reviewer's word about an upstream itself.
	UpstreamRecord = review.UpstreamRecord
	// Exposure is a whole exposure.yaml.
	Exposure = review.Exposure
)
