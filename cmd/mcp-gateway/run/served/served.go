package served

import (
	"context"
	"errors"
	"sync"

	"mcp-gateway/admin/client"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/refresh"
)

// Refresh lets every gateway that runs on the state directory fetch the lists of these
// upstreams, and returns, by upstream, nil where all of them did or found it down. An
// error says why one did not: it serves what it saw last. The map is nil where no
// gateway runs. Who asks is whoever may read the token of the socket.
func Refresh(ctx context.Context, stateDir string, ids []string) map[string]error {
	running := client.All(stateDir)
	if len(running) == 0 {
		return nil
	}
	all := make(map[string]error, len(ids))
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, id := range ids {
		all[id] = nil
	}
	for _, c := range running {
		for _, id := range ids {
			wait.Go(func() {
				err := c.Refresh(ctx, id)
				mu.Lock()
				defer mu.Unlock()
				all[id] = errors.Join(all[id], err)
			})
		}
	}
	wait.Wait()
	return all
}

// By is how a gateway does it: known says whether it has such an upstream.
func By(world func() *proxy.World, r *refresh.Refresher) func(ctx context.Context, upstream string) (known bool, err error) {
	return func(ctx context.Context, upstream string) (bool, error) {
		if world().Upstreams[upstream] == nil {
			return false, nil
		}
		return true, r.Refresh(ctx, upstream)
	}
}
