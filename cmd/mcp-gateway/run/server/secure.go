package server

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
)

// secured is a listener of hosts over TLS.
type secured struct{ net.Listener }

// Accept implements net.Listener. The handshake is made by the first read.
func (l secured) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if over, ok := c.(*tls.Conn); ok {
		return spoken{over}, err
	}
	return c, err
}

// spoken is a connection that tells a host which speaks HTTP without TLS what is wrong,
// as net/http does for connections that it secures itself.
type spoken struct{ *tls.Conn }

const speakTLS = "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
	"This port speaks HTTPS: the URL begins with https://.\n"

// Read implements net.Conn.
func (c spoken) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) && plain.Conn != nil && methods[string(plain.RecordHeader[:])] {
		_, _ = io.WriteString(plain.Conn, speakTLS) // a courtesy: whoever has left does not miss it
		_ = plain.Conn.Close()
	}
	return n, err
}

// methods are the first five bytes of a request of each method that is served.
var methods = map[string]bool{"GET /": true, "POST ": true, "DELET": true, "OPTIO": true, "HEAD ": true}
