package findings

import (
	"net/url"
	"regexp"
	"strings"

	"mcp-gateway/protocol"
)

var (
	secretValue = regexp.MustCompile(`^(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\..*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*)`)
	mailAddress = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
)

// preset looks at a default value: a host that fills it in sends it.
func (in *inspection) preset(at string, raw []byte) {
	text, ok := protocol.Text(raw)
	text = strings.TrimSpace(text)
	switch {
	case !ok || text == "":
	case secretValue.MatchString(text):
		in.add(SecretDefault, at, "")
	case mailAddress.MatchString(text) || elsewhere(text):
		in.add(OutboundDefault, at, text)
	}
}

// elsewhere says whether a text is a URL that leads off this machine.
func elsewhere(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "ftp", "smtp":
	default:
		return false
	}
	host := u.Hostname()
	return host != "localhost" && host != "127.0.0.1" && host != "::1"
}
