// Package headers is what of an MCP message travels in HTTP headers as well: the
// value codec, and the x-mcp-header annotations that mirror arguments. Other
// rooms reach it through package protocol.
//
// Map:
//
//	codec.go    EncodeHeader, DecodeHeader: =?base64?…?=
//	mirror.go   Mirror, Mirrors: the annotations of an input schema
//	secret.go   which properties must never be mirrored
//	param.go    CheckParams, SetParams: headers against arguments, both ways
package headers
