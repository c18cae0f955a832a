package findings

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"mcp-gateway/protocol"
)

var (
	secretValue = regexp.MustCompile(`^(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\..*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*)`)
	hostName    = regexp.MustCompile(`^([A-Za-z0-9-]+\.)+[A-Za-z0-9-]*[A-Za-z][A-Za-z0-9-]*(:[0-9]+)?(/\S*)?$|^[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]+)?(/\S*)?$`)
	mailAddress = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
)

// preset looks at a default or fixed value: a host that fills it in sends it. What is
// only a host's name counts where the argument is for one.
func (in *inspection) preset(at string, raw []byte, depth int) {
	if depth > maxDepth {
		return
	}
	switch protocol.Kind(raw) {
	case '[':
		i := 0
		for element := range protocol.Elements(raw) {
			in.preset(at+"/"+strconv.Itoa(i), element, depth+1)
			i++
		}
		return
	case '{':
		for name, value := range protocol.Members(raw) {
			in.preset(at+"/"+token(string(name)), value, depth+1)
		}
		return
	}
	text, ok := protocol.Text(raw)
	text = strings.TrimSpace(visible(text))
	switch {
	case !ok || text == "":
	case secretValue.MatchString(text):
		in.add(SecretDefault, at, "")
	case mailAddress.MatchString(text), elsewhere(text), forHost(at) && hostName.MatchString(text) && !here(text):
		in.add(OutboundDefault, at, text)
	}
}

// forHost says whether one of the names in a place says that a machine or a person to
// send to is meant.
func forHost(at string) bool {
	for name := range strings.SplitSeq(at, "/") {
		if hasAny(split(name), "host", "hostname", "server", "domain", "endpoint", "url", "uri", "webhook", "proxy", "callback", "hook", "address", "recipient", "to", "cc", "bcc", "origin", "relay", "collector") {
			return true
		}
	}
	return false
}

// here says whether a host is this machine.
func here(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return name == "localhost" || name == "0.0.0.0" || strings.HasPrefix(name, "127.") || strings.HasPrefix(host, "::1") || strings.HasPrefix(host, "[::1]")
}

// elsewhere says whether a text is a URL that leads off this machine.
func elsewhere(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	switch u.Scheme {
	case "file", "urn", "data", "about":
		return false
	}
	return !here(u.Hostname())
}
