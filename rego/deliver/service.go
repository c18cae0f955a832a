package deliver

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"

	"github.com/open-policy-agent/opa/v1/download"
)

// Follower is told what services bring, one call at a time.
type Follower struct {
	// Adopt puts a policy in force that Set.Fits, and calls Set.Take. What it returns an
	// error for is not in force; ErrStale: it does not fit any more.
	Adopt func(context.Context, *Joined) error
	// Refused is told of a bundle that is not taken, by its name: gateway.Problems, or
	// the error of Adopt. The same bundle again is not told again.
	Refused func(name string, err error)
	// Away is told once of each time in which a service gives no answer.
	Away func(name string, err error)
	// Asked is told after each exchange, whatever came of it.
	Asked func()
}

// ErrStale says that another policy came in force since one was made.
var ErrStale = errors.New("deliver: another policy came in force since")

// errWaits says that a bundle verified and that the policy lacks others still.
var errWaits = errors.New("deliver: other bundles are missing")

// Follow asks every service until ctx ends: at once, then as its Options.Poll says,
// and at once again when Ask is called. It returns when the last exchanges and what
// was told of them are done.
func (s *Set) Follow(ctx context.Context, f Follower) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var all error
	for _, name := range s.names {
		source := s.sources[name]
		if source.o.URL == "" {
			continue
		}
		wait.Go(func() {
			err := source.follow(ctx, func(a arrival) {
				s.turn.Lock()
				defer s.turn.Unlock()
				if ctx.Err() == nil {
					s.came(ctx, source, a, f)
					f.Asked()
				}
			})
			mu.Lock()
			all = errors.Join(all, err)
			mu.Unlock()
		})
	}
	wait.Wait()
	return all
}

func (s *Source) follow(ctx context.Context, came func(arrival)) error {
	for ctx.Err() == nil {
		d, err := s.downloader(ctx, came)
		if err != nil {
			return err
		}
		d.Start(ctx)
		select {
		case <-ctx.Done():
		case <-s.ask:
		}
		d.Stop(ctx)
	}
	return nil
}

// downloader is OPA's, asking through our client, which keeps what comes: it is judged
// as a file is, by one path for all.
func (s *Source) downloader(ctx context.Context, came func(arrival)) (*download.Downloader, error) {
	c := newClient(&s.o)
	client, path, err := c.opa(s.o.URL)
	if err != nil {
		return nil, err
	}
	least, most, wait := int64(s.o.Poll.Min/time.Second), int64(s.o.Poll.Max/time.Second), int64(s.o.Poll.Wait/time.Second)
	config := download.Config{Polling: download.PollingConfig{MinDelaySeconds: &least, MaxDelaySeconds: &most}}
	if wait > 0 {
		config.Polling.LongPollingTimeoutSeconds = &wait
	}
	if err := config.ValidateAndInjectDefaults(); err != nil {
		return nil, err
	}
	return download.New(config, client, path).
		WithCallback(func(own context.Context, u download.Update) error {
			a := c.came()
			a.err = u.Error
			if ctx.Err() == nil && (own.Err() == nil || a.raw != nil) { // an exchange that was cut says nothing of the service
				came(a)
			}
			return nil
		}), nil
}

// arrival is what one exchange brought. Neither a bundle nor an error: the service
// has what etag names, still.
type arrival struct {
	raw  []byte
	etag string
	err  error
}

func (s *Set) came(ctx context.Context, source *Source, a arrival, f Follower) {
	name := source.o.Name
	if a.raw == nil && a.err != nil {
		if source.answered(false) {
			f.Away(name, gateway.Problems{{Pos: gateway.Pos{File: source.o.URL}, Code: CodeService, Message: a.err.Error()}})
		}
		return
	}
	source.answered(true)
	if a.raw == nil {
		source.still(a.etag)
		return
	}
	source.arrived()
	b, err := source.judge(source.o.URL, a.raw)
	if err == nil && b == source.Taken() { // the one in force came again
		source.confirmed(a.etag)
		return
	}
	if err == nil {
		err = s.adopt(ctx, name, b, f)
	}
	switch {
	case errors.Is(err, errWaits):
		source.waits()
	case err != nil:
		source.refused(err)
		if source.first(a.raw) {
			f.Refused(name, err)
		}
	default:
		source.confirmed(a.etag)
	}
}

// adopt puts a bundle that verified in force: with the others that are, or else, where
// bundles changed that fit each other only, with the newest of all.
func (s *Set) adopt(ctx context.Context, name string, b *pack.Bundle, f Follower) error {
	s.sources[name].hold(b)
	for {
		joined, err := s.fit(ctx, name, b)
		if err == nil {
			err = f.Adopt(ctx, joined)
		}
		if !errors.Is(err, ErrStale) {
			return err
		}
	}
}

func (s *Set) fit(ctx context.Context, name string, b *pack.Bundle) (*Joined, error) {
	newest := map[string]*pack.Bundle{}
	for _, other := range s.names {
		if n := s.sources[other].held(); n != nil {
			newest[other] = n
		}
	}
	if len(newest) < len(s.names) {
		return nil, errWaits
	}
	current := s.Current()
	if current == nil {
		return s.join(ctx, newest, name)
	}
	one := maps.Clone(current.Members)
	one[name] = b
	joined, err := s.join(ctx, one, name)
	if err != nil && !maps.Equal(one, newest) {
		if both, other := s.join(ctx, newest, name); other == nil {
			return both, nil
		}
	}
	return joined, err
}
