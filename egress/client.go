package egress

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"mcp-gateway/egress/plain"
	"mcp-gateway/gateway"
)

// Options configure a client. The zero value reaches public addresses only.
type Options struct {
	AllowHosts    []string       // hosts of configured URLs; see NewGuard for what each allows
	AllowPrefixes []netip.Prefix // ranges that are allowed whatever they are
	Timeout       time.Duration  // to connect, and again from there to the answer's head; 0 = 30 s
	TLS           *tls.Config    // root and client certificates; nil = the system's. Cloned, never below TLS 1.2
	Resolver      *net.Resolver  // nil = the system's
}

const (
	defaultTimeout = 30 * time.Second
	poolPerHost    = 64 // as many as the concurrency that the gateway is sized for
	maxHeaderBytes = 64 << 10
	idleTime       = 90 * time.Second
)

// NewClient returns a client whose every connection passes the dial guard. It
// follows no redirect (the 3xx itself is the answer, for the caller to refuse),
// uses no proxy from the environment, keeps no cookies, and speaks TLS 1.2 or
// later. It sets no limit on the time of a whole exchange, since streams are
// long: give each request a context with a deadline, and read bodies by ReadBody.
func NewClient(o Options) *http.Client {
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	config := &tls.Config{}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	dial := NewGuard(o.AllowHosts, o.AllowPrefixes).dialer(net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second, Resolver: o.Resolver})
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: plain.New(plain.Options{
			Dial: dial, Timeout: timeout, Head: maxHeaderBytes, Idle: idleTime, PerHost: poolPerHost,
			Rest: &http.Transport{
				Proxy:                  nil,
				DialContext:            dial,
				TLSClientConfig:        config,
				TLSHandshakeTimeout:    timeout,
				ResponseHeaderTimeout:  timeout,
				ExpectContinueTimeout:  time.Second,
				IdleConnTimeout:        idleTime,
				MaxIdleConns:           4 * poolPerHost,
				MaxIdleConnsPerHost:    poolPerHost,
				MaxResponseHeaderBytes: maxHeaderBytes,
				ForceAttemptHTTP2:      true,
			},
		}),
	}
}

// ReadBody reads r to its end, at most limit bytes of it. A longer body is a
// *gateway.Error with CodeTooLarge, of which no byte is returned, since cut JSON
// must never reach a parser. Other errors are those of r.
func ReadBody(r io.Reader, limit int) ([]byte, error) { return ReadSized(r, -1, limit) }

// largestGuess is how much room is made on somebody's word.
const largestGuess = 64 << 10

// ReadSized is ReadBody where a length was announced, which may be wrong; -1 = none was.
func ReadSized(r io.Reader, announced int64, limit int) ([]byte, error) {
	limit = max(limit, 0)
	var body []byte
	if announced >= 0 {
		body = make([]byte, 0, min(announced, int64(limit), largestGuess)+1) // the end is seen with room for one byte more
	}
	body, err := readAll(body, r, limit+1)
	if err != nil {
		return nil, err
	}
	if len(body) > limit {
		return nil, gateway.Because(gateway.CodeTooLarge, fmt.Errorf("body of more than %d bytes", limit))
	}
	return body, nil
}

// readAll appends what r gives until its end, and no more than most bytes.
func readAll(dst []byte, r io.Reader, most int) ([]byte, error) {
	for {
		if len(dst) >= most {
			return dst, nil
		}
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, max(512, cap(dst)/4))
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), most)])
		dst = dst[:len(dst)+n]
		switch {
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return nil, err
		}
	}
}
