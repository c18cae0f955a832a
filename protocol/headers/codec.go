package headers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-gateway/gateway"
)

// ErrHeader is the cause of every refusal here.
var ErrHeader = errors.New("header or header annotation not as the protocol wants it")

// The markers of an encoded value, case-sensitive (2026-07-28 transports,
// "Value Encoding").
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// EncodeHeader returns s as a header value: as it is where that is safe, else
// as =?base64?…?= of its bytes. Encoded are values with anything but visible
// ASCII, space and tab, with white space at either end, and those that a
// decoder would take for the encoded form.
func EncodeHeader(s string) string {
	if IsSafe(s) && !looksEncoded(s) {
		return s
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + encodedSuffix
}

// DecodeHeader is the inverse of EncodeHeader. A value with unsafe bytes, with
// broken or non-canonical base64, or whose content is not UTF-8 is refused with
// CodeHeaderMismatch.
func DecodeHeader(s string) (string, error) {
	if !IsSafe(s) {
		return "", Mismatch("a header value has unsafe bytes")
	}
	if !looksEncoded(s) {
		return s, nil
	}
	if len(s) < len(encodedPrefix)+len(encodedSuffix) {
		return "", Mismatch("a header value is half encoded") // "=?base64?=": the markers overlap
	}
	inner := s[len(encodedPrefix) : len(s)-len(encodedSuffix)]
	plain, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || !utf8.Valid(plain) {
		return "", Mismatch("a header value is wrongly encoded")
	}
	return string(plain), nil
}

func looksEncoded(s string) bool {
	return strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix)
}

// IsSafe reports whether s survives as a header value (RFC 9110 section
// 5.5) unchanged: visible ASCII, inner spaces and tabs.
func IsSafe(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return s == strings.Trim(s, " \t")
}

// Mismatch returns the CodeHeaderMismatch error for one fault, which must name
// no value.
func Mismatch(what string) error {
	return gateway.Because(gateway.CodeHeaderMismatch, fmt.Errorf("%w: %s", ErrHeader, what))
}

// Wrong is Mismatch about a header that is named: to whoever sent it, too.
func Wrong(header, what string) error {
	e := gateway.Because(gateway.CodeHeaderMismatch, fmt.Errorf("%w: %s %s", ErrHeader, header, what))
	e.Field = header
	return e
}
