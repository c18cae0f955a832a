package pack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
)

// keyID names the one key of a bundle.
const keyID = "gateway"

var errKey = errors.New("not a PEM key of a kind that signs bundles: ECDSA P-256 or RSA")

// algorithm tells by a PEM key, public or private, how it signs.
func algorithm(text []byte) (string, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return "", errKey
	}
	var key any
	for _, parse := range []func([]byte) (any, error){
		func(b []byte) (any, error) { return x509.ParsePKIXPublicKey(b) },
		func(b []byte) (any, error) { return x509.ParsePKCS8PrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParsePKCS1PublicKey(b) },
	} {
		if k, err := parse(block.Bytes); err == nil {
			key = k
			break
		}
	}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return onP256(k)
	case *ecdsa.PrivateKey:
		return onP256(&k.PublicKey)
	case *rsa.PublicKey, *rsa.PrivateKey:
		return "RS256", nil
	}
	return "", errKey
}

// CheckKey says what is wrong with a PEM key that is to sign or verify bundles.
func CheckKey(text []byte) error {
	_, err := algorithm(text)
	return err
}

func onP256(k *ecdsa.PublicKey) (string, error) {
	if k.Curve != elliptic.P256() {
		return "", errKey
	}
	return "ES256", nil
}
