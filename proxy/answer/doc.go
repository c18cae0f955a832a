// Package answer says how every refusal travels: one table from codes to HTTP
// status, JSON-RPC code and sentence, and the rendering of it. No text of an
// upstream enters a refusal.
//
// Map:
//
//	table.go    Row, Rows: the one table
//	refusal.go  Refusal, Table: a failed call as a JSON-RPC error or a tool result
package answer
