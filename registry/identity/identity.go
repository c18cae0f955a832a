package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Facts are what an upstream is. Values of its environment are secrets and no part
// of it; what it calls itself proves nothing and is none either.
type Facts struct {
	Argv         []string                  // the command and its arguments, as configured
	Dir          string                    // where it is run
	Env          []string                  // the names in its environment, in any order
	Files        map[string]gateway.Digest // the files that the reviewer declared, as they are now
	URL          string                    // of an upstream over HTTP
	Issuer       gateway.Digest            // of the certificate of the authority that vouches for its host; "" without TLS
	Revision     string                    // the protocol revision that was agreed
	Capabilities []byte                    // the object that it declared, as sent; nil if none
}

// Digest returns the one digest over all facts, "sha256-jcs1:" over this object in
// canonical form.
func (f *Facts) Digest() gateway.Digest { return protocol.DigestOf(f.Object()) }

// Launch returns the digest over what is known before the upstream is started or
// reached: its command, its environment and its files, or its URL.
func (f *Facts) Launch() gateway.Digest {
	known := Facts{Argv: f.Argv, Dir: f.Dir, Env: f.Env, Files: f.Files, URL: f.URL}
	return known.Digest()
}

// Object returns the facts as the JSON object that is digested.
func (f *Facts) Object() []byte {
	out := append([]byte{}, `{"argv":`...)
	out = appendTexts(out, f.Argv)
	out = protocol.AppendString(append(out, `,"dir":`...), f.Dir)
	out = appendTexts(append(out, `,"env":`...), slices.Compact(slices.Sorted(slices.Values(f.Env))))
	out = append(out, `,"files":{`...)
	for i, path := range slices.Sorted(maps.Keys(f.Files)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = protocol.AppendString(append(protocol.AppendString(out, path), ':'), string(f.Files[path]))
	}
	out = protocol.AppendString(append(out, `},"url":`...), f.URL)
	out = protocol.AppendString(append(out, `,"issuer":`...), string(f.Issuer))
	out = protocol.AppendString(append(out, `,"revision":`...), f.Revision)
	out = append(out, `,"capabilities":`...)
	if f.Capabilities == nil {
		return append(out, `null}`...)
	}
	return append(append(out, f.Capabilities...), '}')
}

// Parse reads facts as Object wrote them, strictly checked JSON. What is missing is zero.
func Parse(object []byte) *Facts {
	f := &Facts{}
	if protocol.Kind(object) != '{' {
		return f
	}
	for name, value := range protocol.Members(object) {
		text, _ := protocol.Text(value)
		switch string(name) {
		case "argv":
			f.Argv = texts(value)
		case "dir":
			f.Dir = text
		case "env":
			f.Env = texts(value)
		case "files":
			f.Files = map[string]gateway.Digest{}
			for path, digest := range protocol.Members(value) {
				d, _ := protocol.Text(digest)
				f.Files[string(path)] = gateway.Digest(d)
			}
		case "url":
			f.URL = text
		case "issuer":
			f.Issuer = gateway.Digest(text)
		case "revision":
			f.Revision = text
		case "capabilities":
			if protocol.Kind(value) == '{' {
				f.Capabilities = value
			}
		}
	}
	return f
}

func texts(list []byte) []string {
	var all []string
	for value := range protocol.Elements(list) {
		text, _ := protocol.Text(value)
		all = append(all, text)
	}
	return all
}

func appendTexts(out []byte, texts []string) []byte {
	out = append(out, '[')
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = protocol.AppendString(out, text)
	}
	return append(out, ']')
}

// Bytes returns the digest of a file's contents: "sha256:" and hex.
func Bytes(contents []byte) gateway.Digest {
	sum := sha256.Sum256(contents)
	return gateway.Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// Same says whether two digests are of the same bytes: a reviewer's file may spell
// "sha256-" what is "sha256:" elsewhere.
func Same(a, b gateway.Digest) bool { return plain(a) == plain(b) }

func plain(d gateway.Digest) string {
	const hexDigits = 64
	if len(d) < hexDigits {
		return string(d)
	}
	return string(d[len(d)-hexDigits:])
}
