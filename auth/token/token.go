package token

import (
	"encoding/base64"
	"errors"
	"strings"

	"mcp-gateway/protocol"
)

// MaxLength bounds a token, in bytes. What is longer is refused unread.
const MaxLength = 16 << 10

// maxDepth bounds the nesting of a token's JSON. Issuers that keep roles by
// service nest four deep.
const maxDepth = 12

// Why a token can't be read. No text of a token is ever part of an error.
var (
	ErrNotJWT    = errors.New("token: not a JWT")
	ErrTooLong   = errors.New("token: longer than tokens may be")
	ErrEncoding  = errors.New("token: not base64url")
	ErrJSON      = errors.New("token: header or claims are not one strict JSON object within limits")
	ErrAlgorithm = errors.New("token: the header names no algorithm")
	ErrCritical  = errors.New("token: the header asks for extensions that are not known")
	ErrType      = errors.New("token: its typ is not that of an access token")
)

// Token is a JWT as it came. Nothing of it is verified.
type Token struct {
	Algorithm string // header alg
	KeyID     string // header kid; "" = none
	Claims    Claims
}

// Parse reads a compact JWS. A string that does not look like one is ErrNotJWT:
// it may be an opaque token. typ is checked where it is given (RFC 9068 section
// 4): at+jwt, or JWT as issuers write that do not know it.
func Parse(raw string) (*Token, error) {
	if len(raw) > MaxLength {
		return nil, ErrTooLong
	}
	head, rest, two := strings.Cut(raw, ".")
	body, signature, three := strings.Cut(rest, ".")
	if !two || !three || strings.Contains(signature, ".") {
		return nil, ErrNotJWT
	}
	header, err := object(head)
	if err != nil {
		return nil, ErrNotJWT // an opaque token may hold dots
	}
	t := &Token{}
	if err := t.readHeader(header); err != nil {
		return nil, err
	}
	claims, err := object(body)
	if err != nil {
		return nil, err
	}
	t.Claims = Claims{claims}
	return t, nil
}

// object decodes a segment that is to be one strict JSON object.
func object(segment string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil {
		return nil, ErrEncoding
	}
	return raw, Strict(raw)
}

// Strict says whether raw is one JSON object without duplicate names, within
// limits.
func Strict(raw []byte) error {
	if protocol.Kind(raw) != '{' || protocol.Check(raw, protocol.Limits{Bytes: MaxLength, Depth: maxDepth}) != nil {
		return ErrJSON
	}
	return nil
}

// readHeader takes what is used of a header. Keys that a header brings along
// (jwk, jku, x5c, x5u) are never looked at: whoever wrote the token chose them.
func (t *Token) readHeader(header []byte) error {
	var ok bool
	if t.Algorithm, ok = text(header, "alg"); !ok || t.Algorithm == "" {
		return ErrAlgorithm
	}
	for _, name := range [...]string{"crit", "b64", "zip", "enc"} {
		if _, has := protocol.Member(header, name); has {
			return ErrCritical
		}
	}
	if kid, has := protocol.Member(header, "kid"); has {
		if t.KeyID, ok = protocol.Text(kid); !ok {
			return ErrJSON
		}
	}
	typ, has := protocol.Member(header, "typ")
	if !has {
		return nil
	}
	named, _ := protocol.Text(typ)
	named = strings.TrimPrefix(strings.ToLower(named), "application/")
	if named != "at+jwt" && named != "jwt" {
		return ErrType
	}
	return nil
}

func text(object []byte, name string) (string, bool) {
	raw, ok := protocol.Member(object, name)
	if !ok {
		return "", false
	}
	return protocol.Text(raw)
}
