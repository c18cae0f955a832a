package whois

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/identity"
)

// Reach makes a client refuse, by the reviews in force, every request to a URL that is
// not the reviewed one: it is not connected to, and is shown no credential. c is the
// configuration by which it is reached.
func (r *Registrar) Reach(c *config.Config, id string, client *http.Client) *http.Client {
	client.Transport = &reach{RoundTripper: client.Transport, registrar: r, id: id, launch: Launch(c, nil, id)}
	return client
}

type reach struct {
	http.RoundTripper
	registrar *Registrar
	id        string
	launch    gateway.Digest
}

// RoundTrip implements http.RoundTripper.
func (t *reach) RoundTrip(req *http.Request) (*http.Response, error) {
	if want := t.registrar.reviewed(t.id).Launch; want != "" && !identity.Same(t.launch, want) {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must; nothing was read of it
		}
		return nil, gateway.Because(gateway.CodeUnavailable, errLaunch, gateway.ReasonLaunchChanged)
	}
	return t.RoundTripper.RoundTrip(req)
}

// CloseIdleConnections lets http.Client.CloseIdleConnections through.
func (t *reach) CloseIdleConnections() {
	if below, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

var errIssuer = errors.New("the host is vouched for by another authority than was reviewed")

// Witness notes which authority vouches for an upstream: the key at the end of the
// verified chain. The certificates below it are renewed every few weeks. Where a review
// names one, a connection that another vouches for ends before anything is sent on it.
func (r *Registrar) Witness(id string) *tls.Config {
	return &tls.Config{VerifyConnection: func(s tls.ConnectionState) error {
		want := r.reviewed(id).Issuer
		is := issuer(s.VerifiedChains, want)
		if is != "" {
			r.issuers.Store(id, is)
		}
		if want != "" && !identity.Same(is, want) {
			return gateway.Because(gateway.CodeUnavailable, errIssuer, gateway.ReasonIssuerChanged)
		}
		return nil
	}}
}

// issuer returns who is at the end of the chains: the wanted one if one of them ends
// there, for a host may be vouched for along several; "" where there are none.
func issuer(chains [][]*x509.Certificate, want gateway.Digest) gateway.Digest {
	var first gateway.Digest
	for _, chain := range chains {
		is := identity.Bytes(chain[len(chain)-1].RawSubjectPublicKeyInfo)
		if want != "" && identity.Same(is, want) {
			return is
		}
		if first == "" {
			first = is
		}
	}
	return first
}
