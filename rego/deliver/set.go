package deliver

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/pack"
)

// Set is the places from which the bundles of one policy come. They are in force
// together or not at all. It may be used by many goroutines.
type Set struct {
	names   []string // in order
	sources map[string]*Source
	turn    sync.Mutex // of what a service brought: one at a time

	mu      sync.Mutex
	current *Joined
}

// Joined is a policy and the bundles that make it, one of each source.
type Joined struct {
	Policy  *check.Policy
	Members map[string]*pack.Bundle
	over    *Joined // was in force when it was made
}

// New returns a set of which nothing is known yet. The names in options differ.
func New(options ...Options) *Set {
	s := &Set{sources: map[string]*Source{}}
	for _, o := range options {
		s.names = append(s.names, o.Name)
		s.sources[o.Name] = newSource(o)
	}
	slices.Sort(s.names)
	return s
}

// Current returns what is in force, or nil.
func (s *Set) Current() *Joined {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Next is what to serve by now.
type Next struct {
	Joined *Joined // nil: some bundle never came
	Lost   []Lost  // what was kept and is good no more
}

// Lost is a bundle that was kept and is not taken any more.
type Lost struct {
	Name string // "" = several do not fit each other
	Err  error
}

// Plan returns what to serve by: of files what they hold, of services what came last,
// before this start if need be. Nothing is in force by it before Take. The error,
// gateway.Problems, is about files.
func (s *Set) Plan(ctx context.Context) (Next, error) {
	var n Next
	members, filed := map[string]*pack.Bundle{}, false
	var faults gateway.Problems
	for _, name := range s.names {
		source := s.sources[name]
		b := source.Taken()
		if b == nil {
			var err error
			if b, err = source.recalled(); err != nil {
				n.Lost = append(n.Lost, Lost{name, err})
			}
		}
		if source.o.File != "" {
			filed = true
			read, err := source.read()
			if err != nil {
				faults = append(faults, problemsOf(err)...)
				continue
			}
			b = read
			source.hold(b)
		}
		if b != nil {
			members[name] = b
		}
	}
	if len(faults) > 0 {
		return n, faults
	}
	if len(members) < len(s.names) {
		for name := range members {
			s.sources[name].waits()
		}
		return n, nil
	}
	joined, err := s.join(ctx, members, "")
	switch {
	case err == nil:
		n.Joined = joined
	case filed && (s.Current() != nil || !s.served()):
		return n, err
	default:
		n.Lost = append(n.Lost, s.lost(err))
	}
	return n, nil
}

// lost names the bundle where there is one alone.
func (s *Set) lost(err error) Lost {
	if len(s.names) == 1 {
		return Lost{s.names[0], err}
	}
	return Lost{"", err}
}

// served says whether some source is a service.
func (s *Set) served() bool {
	for _, source := range s.sources {
		if source.o.File == "" {
			return true
		}
	}
	return false
}

// join makes one policy of one bundle of each source. Roots that conflict are said of
// the bundle that came last, where one did. Bundles of which all are in force are what
// is in force.
func (s *Set) join(ctx context.Context, bundles map[string]*pack.Bundle, last string) (*Joined, error) {
	current := s.Current()
	if current != nil && maps.Equal(current.Members, bundles) {
		return current, nil
	}
	var members []pack.Member
	for _, name := range s.names {
		members = append(members, pack.Member{Name: name, Shown: s.sources[name].shown(), Bundle: bundles[name]})
	}
	if i := slices.Index(s.names, last); i >= 0 {
		members = append(append(slices.Clone(members[:i]), members[i+1:]...), members[i])
	}
	if ps := pack.Conflicts(members); len(ps) > 0 {
		return nil, ps
	}
	slices.SortFunc(members, func(a, b pack.Member) int { return slices.Index(s.names, a.Name) - slices.Index(s.names, b.Name) })
	policy, err := pack.Join(ctx, members)
	if err != nil {
		return nil, err
	}
	return &Joined{policy, bundles, current}, nil
}

// Fits says whether what is in force is still what a policy was made to follow.
func (s *Set) Fits(j *Joined) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return j == s.current || j.over == s.current
}

// Take says that a policy that fits is in force, and keeps its bundles. On an error it
// is in force and could not be kept.
func (s *Set) Take(j *Joined) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j == s.current {
		return nil
	}
	s.current, j.over = j, nil // what was in force is not held on to
	var unkept error
	for _, name := range s.names {
		if source, b := s.sources[name], j.Members[name]; b != source.Taken() {
			unkept = errors.Join(unkept, source.take(b))
		}
	}
	return unkept
}

// Ask makes Follow ask every service at once.
func (s *Set) Ask() {
	for _, source := range s.sources {
		select {
		case source.ask <- struct{}{}:
		default:
		}
	}
}

// Status says how the delivery of each bundle stands, by name.
func (s *Set) Status() map[string]Status {
	out := make(map[string]Status, len(s.sources))
	for name, source := range s.sources {
		out[name] = source.standing()
	}
	return out
}

// Places are where the bundles lie on this machine: the file, or what was kept of a
// service's; by the order of their names.
func (s *Set) Places() []string {
	var out []string
	for _, name := range s.names {
		if source := s.sources[name]; source.o.File != "" {
			out = append(out, filepath.Clean(source.o.File))
		} else {
			out = append(out, source.keptPath())
		}
	}
	return out
}

func problemsOf(err error) gateway.Problems {
	var ps gateway.Problems
	if errors.As(err, &ps) {
		return ps
	}
	return gateway.Problems{{Code: string(gateway.CodeInternal), Message: err.Error()}}
}
