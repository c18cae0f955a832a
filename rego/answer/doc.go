// Package answer reads what a policy says, strictly: a member, an obligation or a
// reason that is not known might restrict what is not understood, so that the
// whole answer counts as none.
//
// Map:
//
//	answer.go      Answer: effect, reasons, what is owed, what is only noted
//	obligation.go  obligations by type
//	verdict.go     Verdict: what may be released of a result
package answer
