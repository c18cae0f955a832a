package deliver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
	Name   string       // of the bundle among those of the policy
	File   string       // path of a bundle; "" = URL is asked
	URL    string       // where a service serves one
	HTTP   *http.Client // for URL: from egress.NewClient
	Bearer string       // credential at the service; "" = none
	Trust  pack.Trust   // After and Past are not looked at: what was taken says them
	Poll   Poll
	Keep   string           // folder in which the bundle that was taken last is kept; made when needed
	Now    func() time.Time // nil = time.Now
}

// Poll is how long to wait between two questions, at random between the two and in
// whole seconds, and for how long a service that can may hold a question open until
// it has something new; 0 = it is not asked to.
type Poll struct{ Min, Max, Wait time.Duration }

// Source is one place where bundles come from. It may be used by many goroutines.
type Source struct {
	o   Options
	ask chan struct{} // holds one: ask now

	mu     sync.Mutex
	taken  *pack.Bundle      // in force
	newest *pack.Bundle      // that verified last, in force or not
	was    *pack.Bundle      // in force before this start
	past   []pack.Mark       // of those that were in force before taken, the last last
	etag   string            // by which the service names what is in force
	bad    [sha256.Size]byte // of the bundle that was refused last
	status Status
}

func newSource(o Options) *Source {
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

// recalled returns the bundle that was kept, if there is one and it still verifies,
// and learns what is remembered of those before it. It returns nil without an error
// if none was ever kept.
func (s *Source) recalled() (*pack.Bundle, error) {
	past, err := s.remembered()
	raw, lost := s.kept()
	var b *pack.Bundle
	if raw != nil && lost == nil {
		trust := s.o.Trust
		trust.After, trust.Past = 0, nil
		if b, lost = pack.Open(s.keptPath(), raw, trust); lost != nil {
			s.refused(lost)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = past
	if s.was == nil || b == nil || !bytes.Equal(s.was.Raw, b.Raw) {
		s.was = b
	}
	if s.newest == nil {
		s.newest = s.was
	}
	return s.newest, errors.Join(lost, err)
}

// read reads the bundle of Options.File. It is not in force before that is said. The
// error is gateway.Problems.
func (s *Source) read() (*pack.Bundle, error) {
	raw, err := readFile(s.o.File)
	if err != nil {
		err = gateway.Problems{{Pos: gateway.Pos{File: s.o.File}, Code: pack.CodeUnreadable, Message: err.Error()}}
		s.refused(err)
		return nil, err
	}
	s.arrived()
	return s.judge(s.o.File, raw)
}

// judge verifies a bundle against those that were in force.
func (s *Source) judge(shown string, raw []byte) (*pack.Bundle, error) {
	s.mu.Lock()
	before, trust := s.taken, s.o.Trust
	if before == nil {
		before = s.was
	}
	trust.After, trust.Past = 0, slices.Clone(s.past)
	s.mu.Unlock()
	if before != nil {
		if bytes.Equal(before.Raw, raw) {
			return before, nil
		}
		trust.After = before.Sequence
	}
	b, err := pack.Open(shown, raw, trust)
	if err != nil {
		s.refused(err)
	}
	return b, err
}

// hold notes the bundle that verified last.
func (s *Source) hold(b *pack.Bundle) {
	s.mu.Lock()
	s.newest = b
	s.mu.Unlock()
}

// shown names a bundle of the source in problems.
func (s *Source) shown() string {
	if s.o.File != "" {
		return s.o.File
	}
	return s.o.URL
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
