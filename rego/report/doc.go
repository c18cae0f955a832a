// Package report tells a service how bundles stand, through OPA's own status plugin
// and in its format: what was made for OPA's status API reads it. Nothing of a caller,
// of a decision or of a policy's text is in it.
//
// Map:
//
//	report.go  Reporter: the plugin, asking through our client; a Status in OPA's words
package report
