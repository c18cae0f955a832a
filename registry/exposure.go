package registry

import "mcp-gateway/registry/review"

// The reviewers' words; see package review.
type (
	// Record is one reviewer's word about one thing that is offered.
	Record = review.Record
	// UpstreamRecord is a reviewer's word about an upstream itself.
	UpstreamRecord = review.UpstreamRecord
	// Exposure is a whole exposure.yaml.
	Exposure = review.Exposure
)
