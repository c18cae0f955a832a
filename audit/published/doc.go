// Package published says of the audit event, for those who read journals and
// exports, what its members look like and mean.
//
// Map:
//
//	schema.go  Schema: the JSON Schema of an event, each field described
package published
