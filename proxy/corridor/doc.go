// Package corridor is how a call passes through its stages: in an order that
// was proved when the pipeline was built, and settled however it ended.
//
// Map:
//
//	pipeline.go  Fact, Stage, Pipeline: prove, run, contain, settle
//	grace.go     the context of settling: a deadline whose timer nobody pays for who does not wait
package corridor
