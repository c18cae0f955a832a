package protocol

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"mcp-gateway/gateway"
)

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
	if isHeaderSafe(s) && !looksEncoded(s) {
		return s
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + encodedSuffix
}

// DecodeHeader is the inverse of EncodeHeader. A value with unsafe bytes, with
// broken or non-canonical base64, or whose content is not UTF-8 is refused with
// CodeHeaderMismatch.
func DecodeHeader(s string) (string, error) {
	if !isHeaderSafe(s) {
		return "", mismatch("a header value has unsafe bytes")
	}
	if !looksEncoded(s) {
		return s, nil
	}
	if len(s) < len(encodedPrefix)+len(encodedSuffix) {
		return "", mismatch("a header value is half encoded") // "=?base64?=": the markers overlap
	}
	inner := s[len(encodedPrefix) : len(s)-len(encodedSuffix)]
	plain, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || !utf8.Valid(plain) {
		return "", mismatch("a header value is wrongly encoded")
	}
	return string(plain), nil
}

func looksEncoded(s string) bool {
	return strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix)
}

// isHeaderSafe reports whether s survives as a header value (RFC 9110 section
// 5.5) unchanged: visible ASCII, inner spaces and tabs.
func isHeaderSafe(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return s == strings.Trim(s, " \t")
}

// NameMember returns the member of params that Mcp-Name mirrors for the method,
// or "" if the method has no such header.
func NameMember(method string) string {
	switch method {
	case MethodToolsCall, MethodPromptsGet:
		return "name"
	case MethodResourcesRead:
		return "uri"
	default:
		return ""
	}
}

// CheckHeaders compares the standard headers with the body: the version with
// _meta, Mcp-Method with the method, Mcp-Name, decoded, with the name or URI. A
// repeated or different header is CodeHeaderMismatch in every era; an absent
// one only if required, which it is from 2026-07-28 on.
func CheckHeaders(h http.Header, r *Request, required bool) error {
	if err := checkHeader(h, HeaderVersion, r.Meta.Version, r.Meta.Version != "", required); err != nil {
		return err
	}
	if err := checkHeader(h, HeaderMethod, r.Method, true, required); err != nil {
		return err
	}
	member := NameMember(r.Method)
	if member == "" {
		return nil // Mcp-Name has no meaning here, so none can be wrong
	}
	raw, _ := Member(r.Params, member)
	name, ok := Text(raw)
	if values := h[HeaderName]; len(values) == 1 {
		decoded, err := DecodeHeader(values[0])
		if err != nil {
			return err
		}
		if !ok || decoded != name {
			return mismatch(HeaderName + " differs from the body")
		}
		return nil
	}
	return checkHeader(h, HeaderName, name, ok, required && ok)
}

// checkHeader compares an unencoded header with the body's value, if known.
func checkHeader(h http.Header, key, want string, known, required bool) error {
	switch values := h[key]; {
	case len(values) > 1:
		return mismatch(key + " is repeated")
	case len(values) == 0 && required:
		return mismatch(key + " is missing")
	case len(values) == 1 && known && values[0] != want:
		return mismatch(key + " differs from the body")
	default:
		return nil
	}
}

func mismatch(what string) error {
	return gateway.Because(gateway.CodeHeaderMismatch, fmt.Errorf("%w: %s", ErrHeader, what))
}
