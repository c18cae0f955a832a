package deliver

import (
	"context"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"

	"github.com/open-policy-agent/opa/v1/download"
)

// Follower is told what a service brings, one call at a time.
type Follower struct {
	// Adopt puts a bundle in force. What it returns an error for is not in force.
	Adopt func(context.Context, *pack.Bundle) error
	// Refused is told of a bundle that is not taken: gateway.Problems, or the error of
	// Adopt. The same bundle again is not told again.
	Refused func(error)
	// Away is told once of each time in which the service gives no answer.
	Away func(error)
	// Unkept is told of a bundle that is in force but could not be kept.
	Unkept func(error)
}

// Ask makes Follow ask at once.
func (s *Source) Ask() {
	select {
	case s.ask <- struct{}{}:
	default:
	}
}

// Follow asks the service until ctx ends: at once, then as Options.Poll says, and at
// once again when Ask is called. It returns when the last exchange and what was
// told of it are done.
func (s *Source) Follow(ctx context.Context, f Follower) error {
	for ctx.Err() == nil {
		d, err := s.downloader(ctx, f)
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
func (s *Source) downloader(ctx context.Context, f Follower) (*download.Downloader, error) {
	c := newClient(&s.o)
	client, path, err := c.rest(s.o.URL)
	if err != nil {
		return nil, err
	}
	least, most := int64(s.o.Poll.Min/time.Second), int64(s.o.Poll.Max/time.Second)
	config := download.Config{Polling: download.PollingConfig{MinDelaySeconds: &least, MaxDelaySeconds: &most}}
	if err := config.ValidateAndInjectDefaults(); err != nil {
		return nil, err
	}
	return download.New(config, client, path).
		WithCallback(func(own context.Context, u download.Update) error {
			a := c.came()
			a.err = u.Error
			if ctx.Err() == nil && (own.Err() == nil || a.raw != nil) { // an exchange that was cut says nothing of the service
				s.came(ctx, a, f)
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

func (s *Source) came(ctx context.Context, a arrival, f Follower) {
	if a.raw == nil && a.err != nil {
		if s.answered(false) {
			f.Away(gateway.Problems{{Pos: gateway.Pos{File: s.o.URL}, Code: CodeService, Message: a.err.Error()}})
		}
		return
	}
	s.answered(true)
	if a.raw == nil {
		s.still(a.etag)
		return
	}
	b, err := s.judge(ctx, s.o.URL, a.raw)
	switch {
	case err == nil && b == s.Taken(): // the one in force came again
		s.confirmed(a.etag)
		return
	case err == nil:
		if err = f.Adopt(ctx, b); err != nil {
			s.refused(err)
		}
	}
	if err != nil {
		if s.first(a.raw) {
			f.Refused(err)
		}
		return
	}
	if err := s.Take(b); err != nil {
		f.Unkept(err)
	}
	s.confirmed(a.etag)
}
