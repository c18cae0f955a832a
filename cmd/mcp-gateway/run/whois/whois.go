package whois

import (
	"crypto/tls"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// Registrar knows what upstreams are by what is in force. The zero value knows
// nothing; it is safe for concurrent use.
type Registrar struct {
	now     atomic.Pointer[force]
	issuers sync.Map // upstream → the digest of the key that vouches for its host
}

type force struct {
	config   *config.Config
	exposure *registry.Exposure
}

// Set puts a configuration and its reviews in force, and returns how to go back to
// those before.
func (r *Registrar) Set(c *config.Config, x *registry.Exposure) (undo func()) {
	before := r.now.Swap(&force{c, x})
	return func() { r.now.Store(before) }
}

// Launch says what an upstream would be started as now, or where it is reached: what
// can be known of it before it has run. "" where nothing is in force.
func (r *Registrar) Launch(id string) gateway.Digest {
	f := r.now.Load()
	if f == nil || f.config.Upstreams[id] == nil {
		return ""
	}
	return Launch(f.config, f.exposure, id)
}

var errLaunch = errors.New("what would be started is not what was reviewed")

// Allow refuses the start of what is not the reviewed one, by the reviews in force. c is
// the configuration of the start.
func (r *Registrar) Allow(c *config.Config, id string) error {
	f := r.now.Load()
	if f == nil {
		return nil
	}
	rec := f.exposure.Upstream(id)
	if rec == nil || rec.Launch == "" || identity.Same(Launch(c, f.exposure, id), rec.Launch) {
		return nil
	}
	return gateway.Because(gateway.CodeUnavailable, errLaunch, gateway.ReasonLaunchChanged)
}

// Identify says what an upstream is that gave a list. Files are read at every list:
// one that changed under a running process is the next process's program.
func (r *Registrar) Identify(id string, l *registry.Listing) gateway.Digest {
	f := r.now.Load()
	if f == nil || f.config.Upstreams[id] == nil {
		return ""
	}
	issuer, _ := r.issuers.Load(id)
	known, _ := issuer.(gateway.Digest)
	return Of(f.config, f.exposure, id, l, known)
}

// Witness notes which authority vouches for an upstream: the key at the end of the
// verified chain. The certificates below it are renewed every few weeks.
func (r *Registrar) Witness(id string) *tls.Config {
	return &tls.Config{VerifyConnection: func(s tls.ConnectionState) error {
		if len(s.VerifiedChains) > 0 {
			chain := s.VerifiedChains[0]
			r.issuers.Store(id, identity.Bytes(chain[len(chain)-1].RawSubjectPublicKeyInfo))
		}
		return nil
	}}
}

// Remembered is Identify for lists of the past. Who vouched for an upstream then is
// not known; the running gateway knows.
func (r *Registrar) Remembered(id string, l *registry.Listing) gateway.Digest {
	f := r.now.Load()
	if f != nil && f.config.Upstreams[id] != nil {
		u, rec := f.config.Upstreams[id], f.exposure.Upstream(id)
		if _, met := r.issuers.Load(id); !met && rec != nil && u.HTTP != nil && strings.HasPrefix(u.HTTP.URL, "https:") {
			return rec.Identity
		}
	}
	return r.Identify(id, l)
}

// Of returns the digest of what an upstream is by the configuration, by the
// files that its review declares, by what it said when it was met, and by who vouched
// for it: "" without TLS.
func Of(c *config.Config, x *registry.Exposure, id string, l *registry.Listing, issuer gateway.Digest) gateway.Digest {
	f := configured(c, x, id)
	f.Revision, f.Capabilities, f.Issuer = l.Revision, l.Capabilities, issuer
	return f.Digest()
}

// Launch returns the digest of what is known of an upstream before it is started: its
// command, environment and declared files, or its URL.
func Launch(c *config.Config, x *registry.Exposure, id string) gateway.Digest {
	return configured(c, x, id).Launch()
}

func configured(c *config.Config, x *registry.Exposure, id string) *identity.Facts {
	u, f := c.Upstreams[id], &identity.Facts{}
	if u.HTTP != nil {
		f.URL = u.HTTP.URL
		return f
	}
	f.Argv, f.Dir = u.Stdio.Command, u.Stdio.Dir
	f.Env = slices.Concat(u.Stdio.PassEnv, slices.Collect(maps.Keys(u.Stdio.Env)))
	if rec := x.Upstream(id); rec != nil {
		f.Files = Files(c, slices.Collect(maps.Keys(rec.Files)))
	}
	return f
}

// Started says in words what an upstream would be started as, or where it is reached:
// pairs of a name and a text.
func Started(c *config.Config, id string) [][2]string {
	f := configured(c, nil, id)
	if f.URL != "" {
		return [][2]string{{"reached at", f.URL}}
	}
	slices.Sort(f.Env)
	return [][2]string{{"command", strings.Join(f.Argv, " ")}, {"directory", f.Dir}, {"variables", strings.Join(f.Env, " ")}}
}

// Files returns the digests of files as they are now; relative ones are beside
// exposure.yaml. One that can't be read has none: "".
func Files(c *config.Config, paths []string) map[string]gateway.Digest {
	files := make(map[string]gateway.Digest, len(paths))
	for _, path := range paths {
		at := path
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(c.Exposure), at)
		}
		text, err := os.ReadFile(at)
		if err != nil {
			files[path] = ""
			continue
		}
		files[path] = identity.Bytes(text)
	}
	return files
}
