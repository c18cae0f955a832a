// Package uri reads the resource URIs and URI templates of upstreams, so that
// policy judges the very URI that is forwarded.
//
// Map:
//
//	normalize.go  Normalize: one spelling for one resource, or a refusal
//	template.go   Template: which URIs a reviewed template stands for (RFC 6570)
package uri
