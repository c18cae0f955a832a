// Package corridor is how a call passes through its stages: in an order that
// was proved when the pipeline was built, and settled however it ended.
//
// Map:
//
//	pipeline.go  Fact, Stage, Pipeline: prove, run, contain, settle
package corridor
