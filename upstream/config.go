package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/credential"
	"mcp-gateway/upstream/wire"
)

// Config says how to reach one upstream and what it may cost. Exactly one of
// Stdio and HTTP is set. Zero values mean the defaults named with each field.
type Config struct {
	ID      string // of the configuration, never what the server calls itself
	Version string // of the gateway; told to the upstream
	Stdio   *child.Options
	HTTP    *HTTP

	Timeout      time.Duration // the longest that one request may take; 30 s
	ProbeTimeout time.Duration // for server/discover; 4 s
	StartTimeout time.Duration // for a process to introduce itself; 60 s

	ListLimit   int // bytes of all lists together; 8 MiB
	ResultLimit int // bytes of a result where the call names no limit; 8 MiB
	Depth       int // of JSON; the protocol package's default
	InFlight    int // calls at a time; 64
	Queue       int // calls that may wait for that; 64

	CircuitAfter int           // calls in a row that run out of time until none is made; 5
	CircuitRest  time.Duration // until one is tried again; 30 s

	Refresh time.Duration // how old a list may grow that names no TTL; 5 min
	TTLCap  time.Duration // the longest TTL that is believed; 1 h

	LookAgain time.Duration // between askings of a legacy server over HTTP what it is, with its lists; 1 min

	MinimumRevision string    // oldest acceptable revision; "" = any known
	Downgrade       Downgrade // when it speaks an older revision than before; RefuseDowngrade
	Remembered      registry.UpstreamFact

	// Relay is what a legacy server may ask of a host in the course of a call:
	// RelayElicitation and so on. It is declared to the server. None by default.
	Relay []Relay

	// OnFact is told each time the upstream comes up or goes down; it must not
	// block. nil for none.
	OnFact func(registry.UpstreamFact)
}

// Downgrade says what becomes of a server that speaks an older revision than it
// was met with before.
type Downgrade string

// The treatments of a downgrade.
const (
	RefuseDowngrade Downgrade = "refuse"
	WarnDowngrade   Downgrade = "warn" // it is up, and the reason of its fact says so
	AllowDowngrade  Downgrade = "allow"
)

// Relay names what a legacy server may ask.
type Relay string

// What may be relayed.
const (
	RelayElicitation Relay = "elicitation"
	RelaySampling    Relay = "sampling"
	RelayRoots       Relay = "roots"
)

// method returns the method that the server then calls; "" for no Relay.
func (r Relay) method() string {
	switch r {
	case RelayElicitation:
		return protocol.MethodElicit
	case RelaySampling:
		return protocol.MethodCreateMessage
	case RelayRoots:
		return protocol.MethodRootsList
	default:
		return ""
	}
}

// HTTP is an upstream that is reached by URL, of any revision.
type HTTP struct {
	URL     string
	Bearer  string            // the gateway's own credential; never a host's
	Source  credential.Source // gives the credential of each request instead; nil for none
	Client  *http.Client      // from egress.NewClient, allowing the URL's host
	Backoff child.Backoff     // after failures to connect
}

const shortestTTL = 5 * time.Second

// prepared returns c with its defaults, or why it can't be used.
func (c Config) prepared() (Config, error) {
	switch {
	case c.ID == "":
		return c, unusable("no id")
	case (c.Stdio == nil) == (c.HTTP == nil):
		return c, unusable("exactly one of stdio and http is needed")
	case c.Stdio != nil && len(c.Stdio.Command) == 0:
		return c, unusable("no command")
	case c.HTTP != nil && c.HTTP.Client == nil:
		return c, unusable("no HTTP client")
	case c.MinimumRevision != "" && !protocol.IsKnown(c.MinimumRevision):
		return c, unusable(fmt.Sprintf("unknown minimum revision %q", c.MinimumRevision))
	case !slices.Contains([]Downgrade{"", RefuseDowngrade, WarnDowngrade, AllowDowngrade}, c.Downgrade):
		return c, unusable(fmt.Sprintf("unknown treatment of a downgrade %q", c.Downgrade))
	}
	for _, r := range c.Relay {
		if r.method() == "" {
			return c, unusable(fmt.Sprintf("unknown kind of question %q", r))
		}
	}
	for _, d := range []struct {
		field *time.Duration
		def   time.Duration
	}{
		{&c.Timeout, 30 * time.Second}, {&c.ProbeTimeout, 4 * time.Second}, {&c.StartTimeout, time.Minute},
		{&c.Refresh, 5 * time.Minute}, {&c.TTLCap, time.Hour}, {&c.LookAgain, time.Minute}, {&c.CircuitRest, 30 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.def
		}
	}
	for _, n := range []struct {
		field *int
		def   int
	}{
		{&c.ListLimit, 8 << 20}, {&c.ResultLimit, 8 << 20}, {&c.InFlight, 64}, {&c.Queue, 64}, {&c.CircuitAfter, 5},
	} {
		if *n.field <= 0 {
			*n.field = n.def
		}
	}
	return c, nil
}

// terms are what the configuration and the memory demand of a server.
func (c *Config) terms() wire.Terms {
	before := c.Remembered.Revision
	if before == "" && c.Remembered.Era == string(wire.Modern) {
		before = protocol.Revision20260728
	}
	tolerant := c.Downgrade == WarnDowngrade || c.Downgrade == AllowDowngrade
	return wire.Terms{Minimum: c.MinimumRevision, Before: before, Downgrades: tolerant}
}

// relay returns the methods that a legacy server may call.
func (c *Config) relay() map[string]bool {
	methods := make(map[string]bool, len(c.Relay))
	for _, r := range c.Relay {
		methods[r.method()] = true
	}
	return methods
}

func unusable(why string) error {
	return gateway.Because(gateway.CodeInternal, errors.New("upstream: "+why))
}
