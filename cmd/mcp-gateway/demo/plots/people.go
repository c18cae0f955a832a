package plots

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/store"
)

// people are approvals, and what they are good for.
func people() []Plot {
	return []Plot{
		{Group: "approvals", ID: "user_denial", Title: "Somebody says no to a destructive call",
			Want: "user_denied; done 0", play: denied},
		{Group: "approvals", ID: "approval_expiry", Title: "An approval that is a quarter of an hour old",
			Want: "approval_invalid; done 0", play: expired},
		{Group: "approvals", ID: "argument_swap", Title: "Approved for one call, shown for another; then for its own, twice",
			Want: "other arguments approval_invalid, its own result, once more approval_invalid; done 1", play: swapped},
	}
}

// naming is the member of _meta by which a host names an approval.
func naming(id string) string { return fmt.Sprintf(`%q:%q`, consent.MetaApproval, id) }

// decided has a call asked about, and answers as somebody else on the state
// directory, as the command line does.
func (s *stage) decided(ctx context.Context, by, tool, args string, to approval.State) (ticket string, err error) {
	asked, err := s.Call(ctx, by, tool, args)
	if err != nil {
		return "", err
	}
	if ticket = asked.Text("/_meta/mcp-gateway~1error/approval/id"); ticket == "" {
		return "", errors.New("nobody was asked: " + asked.Said())
	}
	v := approval.Verdict{State: to, Approver: "carol", Via: scene.Beside, Reason: "the demo", At: s.Now()}
	return ticket, s.tickets(ctx, func(k *store.Store) error { return k.Decide(ctx, ticket, v) })
}

// tickets does something to the tickets of the state directory.
func (s *stage) tickets(ctx context.Context, do func(*store.Store) error) error {
	kept, err := store.Open(ctx, filepath.Join(s.Dir, "var", store.Name))
	if err != nil {
		return err
	}
	return errors.Join(do(kept), kept.Close())
}

func (s *stage) approved(ctx context.Context, by, tool, args string) (string, error) {
	return s.decided(ctx, by, tool, args, approval.Approved)
}

// with repeats a call under an approval.
func (s *stage) with(ctx context.Context, ticket, args string) (*scene.Reply, error) {
	q := scene.Calling(scene.Commander, erase, args)
	q.Meta = naming(ticket)
	return s.Ask(ctx, q)
}

func denied(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("erase_board")
	id, err := s.decided(ctx, scene.Commander, erase, titled, approval.Denied)
	if err != nil {
		return "", err
	}
	r, err := s.with(ctx, id, titled)
	if err != nil {
		return "", err
	}
	return s.did("erase_board", before, r.Said()), nil
}

func expired(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("erase_board")
	id, err := s.approved(ctx, scene.Commander, erase, `{"title":"Old board"}`)
	if err != nil {
		return "", err
	}
	later := s.Now().Add(consent.Life + time.Second)
	if err := s.tickets(ctx, func(k *store.Store) error { return k.Expire(ctx, later) }); err != nil {
		return "", err
	}
	r, err := s.with(ctx, id, `{"title":"Old board"}`)
	if err != nil {
		return "", err
	}
	return s.did("erase_board", before, r.Said()), nil
}

func swapped(ctx context.Context, s *stage) (string, error) {
	before := s.Tracker.Done("erase_board")
	id, err := s.approved(ctx, scene.Commander, erase, `{"title":"Test board"}`)
	if err != nil {
		return "", err
	}
	var said [3]string
	for i, args := range []string{`{"title":"Production board"}`, `{"title":"Test board"}`, `{"title":"Test board"}`} {
		r, err := s.with(ctx, id, args)
		if err != nil {
			return "", err
		}
		said[i] = r.Said()
	}
	return s.did("erase_board", before, fmt.Sprintf("other arguments %s, its own %s, once more %s", said[0], said[1], said[2])), nil
}
