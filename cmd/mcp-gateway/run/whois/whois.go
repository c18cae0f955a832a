package whois

import (
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
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// Registrar knows what upstreams are by what is in force. The zero value knows
// nothing; it is safe for concurrent use.
type Registrar struct {
	now     atomic.Pointer[force]
	issuers sync.Map // upstream → the digest of the key that vouched for its host last
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

var errLaunch = errors.New("what would be started or reached is not what was reviewed")

// Allow refuses the start of what is not the reviewed one, by the reviews in force. c is
// the configuration of the start.
func (r *Registrar) Allow(c *config.Config, id string) error {
	f := r.now.Load()
	if f == nil {
		return nil
	}
	if rec := f.exposure.Upstream(id); rec == nil || rec.Launch == "" || identity.Same(Launch(c, f.exposure, id), rec.Launch) {
		return nil
	}
	return gateway.Because(gateway.CodeUnavailable, errLaunch, gateway.ReasonLaunchChanged)
}

// reviewed returns the review of an upstream that is in force; one of nothing where
// there is none.
func (r *Registrar) reviewed(id string) *registry.UpstreamRecord {
	if f := r.now.Load(); f != nil {
		if rec := f.exposure.Upstream(id); rec != nil {
			return rec
		}
	}
	return &registry.UpstreamRecord{}
}

// Facts says what an upstream is that gave a list, or with nil what is known of it before
// it does; nil where nothing is in force. Files are read each time: one that changed under
// a running process is the next process's program.
func (r *Registrar) Facts(id string, l *registry.Listing) *identity.Facts {
	f := r.now.Load()
	if f == nil || f.config.Upstreams[id] == nil {
		return nil
	}
	issuer, _ := r.issuers.Load(id)
	known, _ := issuer.(gateway.Digest)
	return Of(f.config, f.exposure, id, l, known)
}

// Of returns what an upstream is by the configuration, by the files that its review
// declares, by what it said when it was met (nil: before that), and by who vouches for its
// host.
func Of(c *config.Config, x *registry.Exposure, id string, l *registry.Listing, issuer gateway.Digest) *identity.Facts {
	facts := configured(c, x, id)
	if l != nil {
		facts.Revision, facts.Capabilities = l.Revision, l.Capabilities
	}
	if strings.HasPrefix(facts.URL, "https:") {
		facts.Issuer = issuer
	}
	return facts
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
	f.Argv, f.Dir = masked(u.Stdio.Command), u.Stdio.Dir
	f.Env = slices.Concat(u.Stdio.PassEnv, slices.Collect(maps.Keys(u.Stdio.Env)))
	if rec := x.Upstream(id); rec != nil {
		f.Files = Files(c, slices.Collect(maps.Keys(rec.Files)))
	}
	return f
}

// masked is a command without the secrets in its arguments: what an upstream is, is kept
// and shown, and another token makes nobody another.
func masked(command []string) []string {
	redactor, out := redact.New(redact.Options{}), make([]string, len(command))
	for i, arg := range command {
		out[i] = redactor.Masked(arg)
	}
	return out
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
