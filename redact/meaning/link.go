package meaning

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// networked are the schemes by which something is fetched, run or read from the
// machine of the reader.
var networked = []string{
	"http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "telnet", "ldap", "ldaps", "gopher", "smb", "nfs", "dict",
	"file", "data", "javascript", "vbscript", "blob", "about", "chrome", "ms-msdt", "jar", "view-source", "mailto", "tel",
}

// Leads reports whether a link leads where links may: by one of the schemes, or by
// one of no network where none is named; over the network only to one of the hosts,
// of which ".a.example" is all below it, and to a name by https only. Nothing is
// fetched here: what is judged is where a reader would be led.
func Leads(link string, schemes, hosts []string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme == "" || u.User != nil {
		return false
	}
	scheme := strings.ToLower(u.Scheme)
	if !slices.Contains(networked, scheme) {
		return len(schemes) == 0 || slices.Contains(schemes, scheme)
	}
	if scheme != "http" && scheme != "https" {
		return slices.Contains(schemes, scheme)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	for _, allowed := range hosts {
		if host == allowed || strings.HasPrefix(allowed, ".") && strings.HasSuffix(host, allowed) {
			_, notAddress := netip.ParseAddr(host)
			return scheme == "https" || notAddress == nil
		}
	}
	return false
}

// Shows reports whether an icon may be shown: its bytes stand in the link itself, as
// an image, or come from its upstream's own origin, such as https://a.example.
func Shows(src, origin string) bool {
	u, err := url.Parse(src)
	switch {
	case err != nil || u.User != nil:
		return false
	case strings.EqualFold(u.Scheme, "data"):
		return len(u.Opaque) >= 6 && strings.EqualFold(u.Opaque[:6], "image/")
	}
	return origin != "" && strings.EqualFold(u.Scheme, "https") && Origin(src) == origin
}

// Origin returns scheme, host and port of a URL, in the one spelling in which they
// are compared; "" if it has none.
func Origin(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + ":" + port
}

// End returns the index after the JSON object that begins at i, of checked JSON.
func End(in []byte, i int) int {
	depth, quoted := 0, false
	for ; i < len(in); i++ {
		switch c := in[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(in)
}
