package listen

import (
	"crypto/tls"
	"io"
	"os"
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/config/secret"
)

// maxCertificate bounds a file of certificates, in bytes.
const maxCertificate = 256 << 10

// TLS is the certificate that hosts see, with its chain, and its key.
type TLS struct {
	Certificate string        // path of the PEM, absolute
	Key         secret.Secret // PEM
	Pair        tls.Certificate

	read []string
}

// Files are the paths whose change is another certificate.
func (t *TLS) Files() []string {
	if t == nil {
		return nil
	}
	return t.read
}

// Until is when the certificate is good no more.
func (t *TLS) Until() time.Time { return t.Pair.Leaf.NotAfter }

func (t *TLS) form(files *secret.Files) form.Value {
	begun := len(files.Read)
	return form.Object{Check: func(at form.Place) { t.judge(at, files.Read[begun:]) }, Fields: []form.Field{
		{Key: "certificate", Need: true, Doc: "Path of the certificate with its chain, as PEM, relative to this file. What replaces it is taken up without a restart.", Value: form.Parsed(&t.Certificate, "path", func(s string) (string, *form.Fault) {
			if s == "" {
				return "", &form.Fault{Code: "bad_path", Message: "wants a path"}
			}
			return files.Abs(s), nil
		})},
		{Key: "key", Need: true, Doc: "Its private key, as PEM: file:PATH.", Value: files.Key(&t.Key)},
	}}
}

// judge reads the pair, which must belong together: half of a renewal changes
// nothing.
func (t *TLS) judge(at form.Place, named []string) {
	if t.Certificate == "" {
		return
	}
	t.read = append([]string{t.Certificate}, named...)
	chain, err := certificates(t.Certificate)
	if err != nil {
		at.Child("certificate").Report("certificate_missing", "the certificate's file can't be read")
		return
	}
	if !t.Key.Set() {
		return
	}
	if t.Pair, err = tls.X509KeyPair(chain, []byte(t.Key.Reveal())); err != nil {
		at.Report("bad_certificate", "`certificate` and `key` are no certificate and its private key, as PEM")
	}
}

func certificates(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCertificate))
}
