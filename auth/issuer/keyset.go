package issuer

import (
	"crypto/rsa"
	"errors"
	"strings"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"

	"mcp-gateway/protocol"
)

// Why no key verifies a token.
var (
	ErrUnknownKey = errors.New("issuer: no such key")
	ErrKeyUse     = errors.New("issuer: the key is not for this algorithm")
	ErrSignature  = errors.New("issuer: the signature is wrong")
)

const (
	maxKeys    = 64
	minRSABits = 2048
)

// Algorithms lists the signature algorithms that an issuer may be allowed. All
// are asymmetric: there is no secret that both ends share, and no "none".
func Algorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

// Set is one state of an issuer's key set. It is never written after it was read.
type Set struct {
	keys  []verifier
	bytes string // as it came, to see that nothing changed
}

// verifier is one public key and what it is for.
type verifier struct {
	id        string
	algorithm string // "" = any that fits
	kind      string // RSA, or the name of the curve
	key       jwk.Key
}

// readSet reads a JWK Set (RFC 7517 section 5). Keys that are of no use here, such
// as those for encryption, are left out; shared secrets above all.
func readSet(raw []byte) (*Set, error) {
	s := &Set{bytes: string(raw)}
	list, _ := protocol.Member(raw, "keys")
	if protocol.Kind(list) != '[' {
		return nil, ErrAnswer
	}
	seen := 0
	for item := range protocol.Elements(list) {
		if seen++; seen > maxKeys {
			return nil, ErrAnswer
		}
		if v, ok := readKey(item); ok {
			s.keys = append(s.keys, v)
		}
	}
	if len(s.keys) == 0 {
		return nil, ErrUnknownKey
	}
	return s, nil
}

func readKey(raw []byte) (v verifier, ok bool) {
	if use, has := member(raw, "use"); has && use != "sig" {
		return v, false
	}
	key, err := jwk.ParseKey(raw)
	if err != nil {
		return v, false
	}
	public, err := key.PublicKey()
	if err != nil || public.Validate() != nil {
		return v, false
	}
	v.key, v.kind = public, public.KeyType().String()
	switch v.kind {
	case "RSA":
		var native rsa.PublicKey
		if jwk.Export(public, &native) != nil || native.N.BitLen() < minRSABits {
			return v, false
		}
	case "EC", "OKP":
		v.kind, _ = member(raw, "crv")
	default:
		return v, false // oct: a secret, not a key that is anybody's to publish
	}
	v.id, _ = member(raw, "kid")
	v.algorithm, _ = member(raw, "alg")
	return v, true
}

func member(object []byte, name string) (string, bool) {
	raw, ok := protocol.Member(object, name)
	if !ok {
		return "", false
	}
	s, _ := protocol.Text(raw)
	return s, true
}

// kindFor returns what kind of key an algorithm wants (RFC 7518 section 3.1, RFC
// 8037 section 3.1).
func kindFor(algorithm string) string {
	switch {
	case algorithm == "ES256":
		return "P-256"
	case algorithm == "ES384":
		return "P-384"
	case algorithm == "ES512":
		return "P-521"
	case algorithm == "EdDSA":
		return "Ed25519"
	case strings.HasPrefix(algorithm, "RS"), strings.HasPrefix(algorithm, "PS"):
		return "RSA"
	}
	return "none"
}

func (v *verifier) fits(algorithm string) bool {
	return v.kind == kindFor(algorithm) && (v.algorithm == "" || v.algorithm == algorithm)
}

// find returns the one key that a header means. A header without kid means the
// only one that fits.
func (s *Set) find(algorithm, id string) (*verifier, error) {
	var found *verifier
	named := false
	for i := range s.keys {
		v := &s.keys[i]
		if id != "" && v.id != id {
			continue
		}
		named = true
		if !v.fits(algorithm) {
			continue
		}
		if found != nil {
			return nil, ErrUnknownKey // it might be either
		}
		found = v
	}
	switch {
	case found != nil:
		return found, nil
	case named && id != "":
		return nil, ErrKeyUse
	}
	return nil, ErrUnknownKey
}

// verify checks the signature of a compact JWS by the algorithm that was allowed,
// not by whichever its header asks for.
func (v *verifier) verify(raw, algorithm string) error {
	alg, ok := jwa.LookupSignatureAlgorithm(algorithm)
	if !ok {
		return ErrKeyUse
	}
	if _, err := jws.Verify([]byte(raw), jws.WithKey(alg, v.key), jws.WithCompact(), jws.WithAlgorithmMatch(true)); err != nil {
		return ErrSignature
	}
	return nil
}
