package upstream

import (
	"cmp"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/wire"
)

// Status is what an operator may want to know about an upstream.
type Status struct {
	ID       string
	Up       bool
	Era      string         // "modern" or "legacy"; "" until it was met
	Revision string         // of the protocol, as agreed
	Reason   gateway.Reason // why it is down; "" when up, "connecting" before the first meeting
	Since    time.Time      // of this state
	RetryAt  time.Time      // of the next attempt, while down; zero when up

	ClaimedName    string // what the server calls itself: shown, never trusted
	ClaimedVersion string

	InFlight    int
	Waiting     int
	CircuitOpen bool // no calls are made for a while, after several that ran out of time

	Stray         int64 // answers to nothing that was asked
	Unreadable    int64 // lines that began like a message and were none
	Refused       int64 // requests of the upstream, declined
	Notifications int64 // of the upstream that belonged to no exchange or were not wanted
	UnknownLists  int64 // list methods that it declares and does not know

	Child *child.Status // of a process; nil for HTTP
}

// state is the part of Status that changes with up and down.
type state struct {
	up      bool
	met     int       // how many times it came up
	missed  bool      // somebody asked for its list in vain, so coming up is news
	strange bool      // it says of itself what it did not say before, and has not been listed since
	asked   time.Time // when it last said what it is
	peer    wire.Peer
	reason  gateway.Reason
	word    gateway.Reason // the reason in more detail; "" = there is none
	since   time.Time
	retryAt time.Time
}

func (c *Client) cameUp(peer wire.Peer) {
	c.mu.Lock()
	now := time.Now()
	strange := c.state.strange || c.state.met > 0 && !c.state.peer.Alike(&peer)
	news := c.state.missed || strange
	c.state = state{up: true, met: c.state.met + 1, peer: peer, since: now, asked: now, strange: strange}
	fact := c.fact()
	c.mu.Unlock()
	c.watches.turn()
	if news {
		c.signal()
	}
	if c.cfg.OnFact != nil {
		c.cfg.OnFact(fact)
	}
}

// ended notes why the upstream is down; word says it in more detail, "" where there is none.
func (c *Client) ended(reason, word gateway.Reason, wait time.Duration) {
	now := time.Now()
	c.mu.Lock()
	if news := c.state.reason != reason; news && notReviewed(reason) {
		defer c.signal() // whoever keeps its list is to hear why
	}
	if c.state.up || c.state.reason != reason {
		c.state.up, c.state.reason, c.state.since = false, reason, now
	}
	c.state.missed, c.state.word = true, word
	c.state.retryAt = now.Add(wait)
	fact := c.fact()
	c.mu.Unlock()
	if c.cfg.OnFact != nil {
		c.cfg.OnFact(fact)
	}
}

// notReviewed says whether an upstream is not met because it is another than was
// reviewed.
func notReviewed(reason gateway.Reason) bool {
	return reason == gateway.ReasonLaunchChanged || reason == gateway.ReasonIssuerChanged
}

// known refuses what came up as something else than before, until it has been listed:
// its calls wait for what reviewers say of it.
func (c *Client) known() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.state.strange {
		return nil
	}
	e := gateway.Fail(gateway.CodeUnavailable, gateway.ReasonIdentityChanged)
	e.RetryAfter = time.Second
	return e
}

// miss notes that the list could not be fetched, for Changed to make up for it.
func (c *Client) miss() {
	c.mu.Lock()
	up := c.state.up
	c.state.missed = !up
	c.mu.Unlock()
	if up {
		c.signal()
	}
}

// fact is the state as it is remembered; mu is held. While it was not yet met,
// what was remembered before stays.
func (c *Client) fact() registry.UpstreamFact {
	f := c.cfg.Remembered
	f.ID, f.Up, f.Reason, f.At = c.cfg.ID, c.state.up, string(cmp.Or(c.state.word, c.state.reason)), time.Now()
	if p := &c.state.peer; p.Era != "" {
		f.Era, f.Revision, f.ClaimedName, f.ClaimedVersion = string(p.Era), p.Revision, p.ClaimedName, p.ClaimedVersion
		f.Capabilities, f.Instructions = string(p.Capabilities), string(p.Instructions)
		f.Confined = p.Confined
	}
	if f.Up && c.cfg.Downgrade == WarnDowngrade && f.Revision < c.cfg.Remembered.Revision {
		f.Reason = string(wire.ReasonDowngrade)
	}
	return f
}

// Status returns the present state.
func (c *Client) Status() Status {
	c.mu.Lock()
	st := c.state
	c.mu.Unlock()
	s := Status{
		ID: c.cfg.ID, Up: st.up, Era: string(st.peer.Era), Revision: st.peer.Revision,
		Reason: st.reason, Since: st.since, RetryAt: st.retryAt,
		ClaimedName: st.peer.ClaimedName, ClaimedVersion: st.peer.ClaimedVersion,
		InFlight: len(c.gate.slots), Waiting: int(c.gate.waiting.Load()), CircuitOpen: c.breaker.Open(),
	}
	s.UnknownLists = c.lists.Load()
	if c.stdio == nil {
		s.count(&c.web.Counters)
		return s
	}
	s.count(&c.stdio.Counters)
	process := c.stdio.Child()
	s.Child = &process
	if !s.Up && process.Reason == child.ReasonCrashLoop {
		s.Reason = child.ReasonCrashLoop
	}
	return s
}

func (s *Status) count(n *exchange.Counters) {
	s.Stray, s.Unreadable = n.Stray.Load(), n.Unreadable.Load()
	s.Refused, s.Notifications = n.Refused.Load(), n.Notifications.Load()
}

// peer returns what the upstream said of itself when it was last met, and how
// many times that was.
func (c *Client) peer() (wire.Peer, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.peer, c.state.met
}

// Fact returns what is to be remembered of the upstream as it stands now.
func (c *Client) Fact() registry.UpstreamFact {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fact()
}
