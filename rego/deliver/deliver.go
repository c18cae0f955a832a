package deliver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"
)

// MaxBytes bounds a bundle as it comes, packed.
const MaxBytes = 64 << 20

// Options say where bundles come from and which are taken.
type Options struct {
	File   string       // path of a bundle; "" = URL is asked
	URL    string       // where a service serves one
	HTTP   *http.Client // for URL: from egress.NewClient
	Bearer string       // credential at the service; "" = none
	Trust  pack.Trust   // After is not looked at: what was taken last says it
	Poll   Poll
	Keep   string           // folder in which the bundle that was taken last is kept; made when needed
	Now    func() time.Time // nil = time.Now
}

// Poll is how long to wait between two questions, at random between the two and in
// whole seconds.
type Poll struct{ Min, Max time.Duration }

// Source is one place where bundles come from. It may be used by many goroutines.
type Source struct {
	o   Options
	ask chan struct{} // holds one: ask now

	mu     sync.Mutex
	taken  *pack.Bundle      // in force
	etag   string            // by which the service names it
	bad    [sha256.Size]byte // of the bundle that was refused last
	status Status
}

// New returns a source of which nothing is known yet.
func New(o Options) *Source {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Source{o: o, ask: make(chan struct{}, 1)}
}

// Taken returns the bundle in force, or nil.
func (s *Source) Taken() *pack.Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Recall takes the bundle that was kept, if there is one and it still verifies and
// passes. It returns nil without an error if none was ever kept.
func (s *Source) Recall(ctx context.Context) (*pack.Bundle, error) {
	raw, err := s.kept()
	if raw == nil || err != nil {
		return nil, err
	}
	trust := s.o.Trust
	trust.After = 0
	b, err := pack.Read(ctx, s.keptPath(), raw, trust)
	if err != nil {
		s.refused(err)
		return nil, err
	}
	s.took(b, Kept)
	return b, nil
}

// Read reads the bundle of Options.File. It is not taken before Take says so. The
// error is gateway.Problems.
func (s *Source) Read(ctx context.Context) (*pack.Bundle, error) {
	raw, err := readFile(s.o.File)
	if err != nil {
		err = gateway.Problems{{Pos: gateway.Pos{File: s.o.File}, Code: pack.CodeUnreadable, Message: err.Error()}}
		s.refused(err)
		return nil, err
	}
	return s.judge(ctx, s.o.File, raw)
}

// judge verifies and checks a bundle against the one in force.
func (s *Source) judge(ctx context.Context, shown string, raw []byte) (*pack.Bundle, error) {
	trust := s.o.Trust
	trust.After = 0
	if before := s.Taken(); before != nil {
		if bytes.Equal(before.Raw, raw) {
			return before, nil
		}
		trust.After = before.Sequence
	}
	b, err := pack.Read(ctx, shown, raw, trust)
	if err != nil {
		s.refused(err)
	}
	return b, err
}

// Take says that a bundle is in force, and keeps it. On an error it is in force and
// could not be kept.
func (s *Source) Take(b *pack.Bundle) error {
	from := Service
	if s.o.File != "" {
		from = File
	}
	s.took(b, from)
	return s.keep(b.Raw)
}

// name tells sources apart in one folder.
func (s *Source) name() string {
	sum := sha256.Sum256([]byte(s.o.File + "\n" + s.o.URL))
	return hex.EncodeToString(sum[:8]) + ".tar.gz"
}

func (s *Source) keptPath() string { return filepath.Join(s.o.Keep, s.name()) }

var errNoFile = errors.New("it is no file")

// readFile reads a bundle within its bound.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNoFile, err)
	}
	return egress.ReadBody(f, MaxBytes)
}
