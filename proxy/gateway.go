package proxy

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/auth/handle"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/answer"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/proxy/corridor"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/execute"
	"mcp-gateway/proxy/handles"
	"mcp-gateway/proxy/history"
	"mcp-gateway/proxy/listen"
	"mcp-gateway/proxy/lists"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/retry"
	"mcp-gateway/proxy/ruling"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/receipt"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// What fronts and wiring name, wherever it lies.
type (
	Call       = call.Call
	Arrival    = call.Arrival
	BodyReader = call.BodyReader
	Stream     = call.Stream
	World      = call.World
	Limits     = call.Limits
	Upstream   = call.Upstream
	Refresher  = call.Refresher
	Identifier = call.Identifier
	Journal    = call.Journal
	Stage      = call.Stage
	Pipeline   = call.Pipeline
	Fact       = call.Fact
	Memory     = listen.Memory
	Follower   = listen.Follower
)

// Options are what a Gateway is made of. All but Log are required.
type Options struct {
	Version  string // of this build, for serverInfo
	World    *World
	Registry *registry.Registry
	Refresh  Refresher
	Views    *views.Cache
	Redactor *redact.Redactor
	Journal  Journal
	Names    *audit.Keys
	Keys     *keyring.Ring // seals cursors and request states
	Ledger   receipt.Ledger
	Tickets  approval.Tickets
	Handles  handle.Store
	Fates    call.Fates
	Writer   string       // the journal's, of this process
	Inputs   call.Inputs  // keeps what policy was asked; nil = it is not kept
	Details  call.Details // keeps arguments, encrypted; nil = they are not kept
	Clock    func() time.Time
	// Log is told of every failed call once it is settled. The error names
	// causes and must stay with the operator.
	Log func(c *Call)
	// Settled is told of every call once it is settled; nil for none.
	Settled func(c *Call)
}

// Gateway is the corridor: every host's request passes through it, whatever
// front it came in by. It is safe for concurrent use.
type Gateway struct {
	Options
	worlds   call.Worlds
	methods  map[audit.Era]map[string]*Pipeline
	answers  *answer.Table
	slots    *throttle.Slots
	meter    *throttle.Meter
	recorder *record.Recorder
	lists    *lists.Lists
	executor *execute.Executor
	listener *listen.Listener
	sight    *sight.Sight
	hop      *present.Hop
	effects  *effect.Book
	status   *reconcile.Desk
}

// New builds the pipelines and proves their order.
func New(o Options) (*Gateway, error) {
	seen := sight.New(o.Registry, o.Views)
	g := &Gateway{Options: o, answers: answer.NewTable(), slots: throttle.NewSlots(), hop: present.NewHop(o.Version), sight: seen}
	calls, err := history.New()
	if err != nil {
		return nil, err
	}
	g.recorder = &record.Recorder{Journal: o.Journal, Names: o.Names, Floods: throttle.NewFloods(), History: calls, Inputs: o.Inputs, Details: o.Details, Log: o.Log, Settled: o.Settled}
	g.lists = &lists.Lists{Sight: seen, Keys: o.Keys, Hop: g.hop, Record: g.recorder}
	g.effects = &effect.Book{
		Ledger: o.Ledger, Keys: o.Keys, Fates: o.Fates, Hop: g.hop, Record: g.recorder,
		Writer: o.Writer, Build: o.Version, Clock: o.Clock,
	}
	g.status = &reconcile.Desk{Effects: g.effects, Sight: seen, Record: g.recorder, World: g.World, Clock: o.Clock}
	g.effects.Ask = g.status.Ask
	if g.meter, err = throttle.NewMeter(); err != nil {
		return nil, err
	}
	g.executor = &execute.Executor{
		Sight: seen, Record: g.recorder, Refresh: o.Refresh, Slots: g.slots, Meter: g.meter, Redactor: o.Redactor,
		Keys: o.Keys, Hop: g.hop, Ruling: &ruling.Ruling{History: calls, Hop: g.hop}, Effects: g.effects,
		Status: g.status, Retry: retry.Default(), Handles: &handles.Desk{Store: o.Handles, Keys: o.Keys},
	}
	g.executor.Await(&consent.Desk{Tickets: o.Tickets, Keys: o.Keys, Redactor: o.Redactor, Record: g.recorder})
	g.listener = listen.New(listen.Options{Sight: seen, Worlds: &g.worlds, Record: g.recorder, Hop: g.hop, History: calls})
	g.worlds.Set(o.World)
	g.methods, err = g.pipelines()
	return g, err
}

// pipelines are the methods that hosts of each era may call, each with its
// corridor.
func (g *Gateway) pipelines() (map[audit.Era]map[string]*Pipeline, error) {
	given := []Fact{call.FactArrival, call.FactAccepted, call.FactPrincipal, call.FactAdmitted, call.FactRequest}
	eras := map[audit.Era]map[string][]Stage{
		audit.Modern: {
			protocol.MethodDiscover:            g.discoverStages(),
			protocol.MethodSubscriptionsListen: g.listener.Stages(),
		},
		audit.Legacy: {
			protocol.MethodInitialize:           g.initializeStages(),
			protocol.MethodPing:                 {{Name: "ping", Needs: []Fact{call.FactRequest}, Run: acknowledge}},
			protocol.MethodResourcesSubscribe:   g.listener.Subscribe(),
			protocol.MethodResourcesUnsubscribe: g.listener.Unsubscribe(),
			protocol.MethodSetLevel:             {{Name: "level", Needs: []Fact{call.FactRequest}, Run: setLevel}},
		},
	}
	built := make(map[audit.Era]map[string]*Pipeline)
	for era, methods := range eras {
		methods[protocol.MethodToolsList] = g.lists.Stages(gateway.KindTool)
		methods[protocol.MethodToolsCall] = g.executor.ToolsCall()
		methods[protocol.MethodPromptsList] = g.lists.Stages(gateway.KindPrompt)
		methods[protocol.MethodPromptsGet] = g.executor.PromptsGet()
		methods[protocol.MethodResourcesList] = g.lists.Stages(gateway.KindResource)
		methods[protocol.MethodResourceTemplatesList] = g.lists.Stages(gateway.KindTemplate)
		methods[protocol.MethodResourcesRead] = g.executor.ResourcesRead()
		methods[protocol.MethodComplete] = g.executor.Complete()
		built[era] = make(map[string]*Pipeline)
		for method, stages := range methods {
			p, err := corridor.New(given, stages...)
			if err != nil {
				return nil, err
			}
			built[era][method] = p
		}
	}
	return built, nil
}

// Effects is the ledger as calls use it.
func (g *Gateway) Effects() *effect.Book { return g.effects }

// SetWorld replaces the settings for calls that arrive from now on. Calls
// under way finish under those that they began with, but for subscriptions,
// which may last for long and follow.
func (g *Gateway) SetWorld(w *World) { g.worlds.Set(w) }

// World returns the settings in force.
func (g *Gateway) World() *World { return g.worlds.Get() }

// Arrive begins a call.
func (g *Gateway) Arrive(a Arrival) *Call {
	now := g.Clock()
	return &Call{
		Arrival: a,
		ID:      audit.NewID(now),
		World:   g.worlds.Get(),
		Clock:   g.Clock,
		Started: now,
	}
}

// Answer is what a front sends: an HTTP status and one JSON-RPC response.
type Answer struct {
	Status     int
	Body       []byte   // nil for an accepted notification
	Rest       [][]byte // what follows Body, shared and not to be written
	RetryAfter int      // seconds; 0 = not said
	Challenge  string   // WWW-Authenticate; "" = none

	spent func()
}

// Size is the length of Body and Rest.
func (a Answer) Size() int {
	n := len(a.Body)
	for _, part := range a.Rest {
		n += len(part)
	}
	return n
}

// Whole returns Body and Rest in one.
func (a Answer) Whole() []byte {
	if len(a.Rest) == 0 {
		return a.Body
	}
	whole := append(make([]byte, 0, a.Size()+1), a.Body...) // with room for the end of a line
	for _, part := range a.Rest {
		whole = append(whole, part...)
	}
	return whole
}

// Sent says that Body is needed no more, so that its buffer may be used again.
func (a Answer) Sent() {
	if a.spent != nil {
		a.spent()
	}
}

// Answer renders the settled call.
func (g *Gateway) Answer(c *Call) Answer {
	r := answer.Refusal{Err: c.Err, Call: c.ID, Action: c.Action, Of: c.Of, Legacy: c.Era == audit.Legacy, Keyless: c.Effect != nil && c.Effect.Scope == nil}
	if c.Request != nil {
		r.Request, r.Requested = c.Request.ID, cmp.Or(c.Request.Meta.Version, c.Header.Get(protocol.HeaderVersion))
		r.Tool = c.Request.Method == protocol.MethodToolsCall
		if asked, ok := protocol.Member(c.Request.Params, "uri"); ok {
			r.URI, _ = protocol.Text(asked)
		}
	}
	switch {
	case c.Err != nil && c.Err.Ask != nil:
		return Answer{Status: http.StatusOK, Body: protocol.AppendResponse(nil, r.Request, g.hop.Questions(c.Err.Ask))}
	case c.Err != nil:
		status, body := g.answers.Render(r)
		a := Answer{Status: status, Body: body, RetryAfter: answer.Seconds(c.Err.RetryAfter)}
		if status != http.StatusOK && c.Transport == string(audit.HTTP) {
			a.Challenge = c.World.Identifier.Challenge(c.Credential(), c.Err)
		}
		return a
	case r.Request == nil:
		return Answer{Status: http.StatusAccepted}
	case c.Rendered.Response != nil:
		return Answer{Status: http.StatusOK, Body: c.Rendered.Response, Rest: c.Rendered.Rest, spent: c.Rendered.Spent}
	default:
		body := make([]byte, 0, len(c.Result)+len(r.Request)+48)
		return Answer{Status: http.StatusOK, Body: protocol.AppendResponse(body, r.Request, c.Result)}
	}
}

// Follow notes what the host of a legacy session sees now, so that it can be told
// what changes.
func (g *Gateway) Follow(ctx context.Context, c *Call, m *Memory) *Follower {
	return g.listener.Follow(ctx, c, m)
}

// StopListening ends all subscriptions, gracefully, so that a front can stop.
func (g *Gateway) StopListening() { g.listener.Stop() }

// Status asks what became of calls whose outcome is unknown.
func (g *Gateway) Status() *reconcile.Desk { return g.status }

// Run counts what strangers are refused, and finds out what became of calls whose
// outcome is unknown, until ctx ends.
func (g *Gateway) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { g.recorder.Run(ctx) })
	both.Go(func() { g.status.Run(ctx) })
	both.Wait()
}
