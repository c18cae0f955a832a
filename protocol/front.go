package protocol

import (
	"crypto/sha256"
	"iter"
	"net/http"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/headers"
	"mcp-gateway/protocol/rawjson"
)

// This file is the front door to rawjson and headers: rooms import protocol
// alone, and how it is divided inside is its own affair.

// Causes of refusals, for [errors.Is]; RPCCodeOf turns them into JSON-RPC codes.
var (
	ErrSyntax    = rawjson.ErrSyntax    // not exactly one valid JSON value
	ErrDuplicate = rawjson.ErrDuplicate // a member name twice in one object
	ErrLimit     = rawjson.ErrLimit     // over a limit of size, depth or number
	ErrHeader    = headers.ErrHeader    // a header or annotation is wrong
)

// Limits bound what Check lets pass. See [rawjson.Limits].
type Limits = rawjson.Limits

// Mirror is one x-mcp-header annotation. See [headers.Mirror].
type Mirror = headers.Mirror

// DefaultLimits returns 4 MiB, depth 200, numbers of 128 bytes, exponents to 1,000.
func DefaultLimits() Limits { return rawjson.DefaultLimits() }

// Check reports whether raw is exactly one JSON value that every reader
// understands alike, within lim. See [rawjson.Check].
func Check(raw []byte, lim Limits) error { return rawjson.Check(raw, lim) }

// Kind returns '{', '[', '"', '0' (any number), 't', 'f', 'n', or 0 for none.
func Kind(raw []byte) byte { return rawjson.Kind(raw) }

// Members yields unescaped name and raw value of each member of a checked object.
func Members(raw []byte) iter.Seq2[[]byte, []byte] { return rawjson.Members(raw) }

// Elements yields each element of a checked array.
func Elements(raw []byte) iter.Seq[[]byte] { return rawjson.Elements(raw) }

// Member returns the value of the checked object's member of exactly that name.
func Member(raw []byte, name string) (value []byte, ok bool) { return rawjson.Member(raw, name) }

// Lookup returns the value that an RFC 6901 JSON Pointer names within checked JSON.
func Lookup(raw []byte, pointer string) ([]byte, bool) { return rawjson.Lookup(raw, pointer) }

// Text returns the value of a JSON string; false for another value.
func Text(raw []byte) (string, bool) { return rawjson.Text(raw) }

// IsText reports, without allocating as a rule, whether raw is the JSON string want.
func IsText(raw []byte, want string) bool { return rawjson.IsText(raw, want) }

// IsInteger reports whether raw is a number written without point and exponent.
func IsInteger(raw []byte) bool { return rawjson.IsInteger(raw) }

// SameNumber reports, exactly, whether two number lexemes have one value.
func SameNumber(a, b []byte) bool { return rawjson.SameNumber(a, b) }

// AppendString appends s as a JSON string with the fewest escapes.
func AppendString(dst []byte, s string) []byte { return rawjson.AppendString(dst, s) }

// AppendCanonical appends checked JSON in RFC 8785 form, number lexemes kept.
func AppendCanonical(dst, raw []byte) []byte { return rawjson.AppendCanonical(dst, raw) }

// DigestOf returns "sha256-jcs1:" and the SHA-256 of raw's canonical form in hex.
func DigestOf(raw []byte) gateway.Digest { return rawjson.DigestOf(raw) }

// SumOf returns the first half of the SHA-256 over the canonical forms of both
// texts, of which either may be empty: to tell whether one of them changed.
func SumOf(a, b []byte) [16]byte {
	both := append(AppendCanonical(nil, a), '\n')
	sum := sha256.Sum256(AppendCanonical(both, b))
	return [16]byte(sum[:16])
}

// Equal reports whether a and b have the same canonical form.
func Equal(a, b []byte) bool { return rawjson.Equal(a, b) }

// EncodeHeader returns s as a header value, as =?base64?…?= where need be.
func EncodeHeader(s string) string { return headers.EncodeHeader(s) }

// DecodeHeader is the inverse of EncodeHeader; a bad value is CodeHeaderMismatch.
func DecodeHeader(s string) (string, error) { return headers.DecodeHeader(s) }

// Mirrors collects the x-mcp-header annotations of a checked input schema, or
// says by ReasonHeaderMirror that one is wrong. See [headers.Mirrors].
func Mirrors(inputSchema []byte) ([]Mirror, error) { return headers.Mirrors(inputSchema) }

// CheckParams compares Mcp-Param-* headers with the arguments that they mirror;
// a difference is CodeHeaderMismatch. See [headers.CheckParams].
func CheckParams(h http.Header, ms []Mirror, arguments []byte, required bool) error {
	return headers.CheckParams(h, ms, arguments, required)
}

// SetParams sets in h the headers that mirror arguments. See [headers.SetParams].
func SetParams(h http.Header, ms []Mirror, arguments []byte) { headers.SetParams(h, ms, arguments) }

// AsksForSecret reports whether a field of a form asks for a secret, by its
// schema, its name or its title. See [headers.AsksForSecret].
func AsksForSecret(field []byte, name string) bool { return headers.AsksForSecret(field, name) }

// SolicitsSecret reports whether a text that is shown with a form asks for a secret.
// See [headers.SolicitsSecret].
func SolicitsSecret(shown string) bool { return headers.SolicitsSecret(shown) }
