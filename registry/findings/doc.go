// Package findings looks for what is suspicious in a definition, for a reviewer
// and for policy. A finding proves nothing and refuses nothing by itself: a
// warning holds back an approval until somebody writes why it is acceptable.
//
// Ordinary words between tools ("use X instead of Y", "call X first") are no
// finding: real servers are full of them.
//
// Map:
//
//	findings.go  Code, Of: every kind of finding with its severity and reason
//	inspect.go   Inspect, Report: one definition by itself; Told: what an upstream tells models
//	walk.go      which text stands where in a definition
//	looks.go     a text as it looks: letters of other scripts and shapes
//	text.go      directives, concealment, sensitive paths: words that a model reads
//	values.go    secrets and destinations among default values
//	shape.go     what the input schema lets a caller say
//	names.go     names: what they promise, what they look like, where they are mentioned
//	around.go    Around: one definition beside those of other upstreams
//	literal/     what a text must hold to match an expression
package findings
