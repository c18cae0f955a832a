// Package views is the private list cache: which authorization context may see
// what, for exactly one snapshot of the registry and one policy.
//
// Map:
//
//	views.go  View: one context's bits; Cache: views that still hold
package views
