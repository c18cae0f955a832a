package plots

import (
	"context"
	"errors"
	"os"
	"time"

	"mcp-gateway/cmd/mcp-gateway/demo/scene"
)

// drift makes the example server change a tool, waits until the gateway has been
// told, and calls the tool as a host with a cached list would. Afterwards the server
// is what was reviewed again.
func drift(ctx context.Context, s *stage) (string, error) {
	if err := s.turn(ctx, func() error { return os.WriteFile(s.Path("server/changed"), nil, 0o600) }); err != nil {
		return "", err
	}
	changed, err := s.Call(ctx, scene.Commander, deployments, lastHour)
	if err != nil {
		return "", err
	}
	other, err := s.Call(ctx, scene.Commander, status, fiveMinutes)
	if err != nil {
		return "", err
	}
	if err := s.turn(ctx, func() error { return os.Remove(s.Path("server/changed")) }); err != nil {
		return "", err
	}
	if other.Said() != "result" {
		return changed.Said() + "; the others are not: " + other.Said(), nil
	}
	return changed.Said() + "; the others are served", nil
}

// turn does something that changes what is served, and waits until it has.
func (s *stage) turn(ctx context.Context, do func() error) error {
	superseded := s.Gateway.Registry().Snapshot().Superseded()
	if err := do(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	select {
	case <-superseded:
		return nil
	case <-ctx.Done():
		return errors.New("the changed definition was not noticed")
	}
}
