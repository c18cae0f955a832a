package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/run/absent"
	"mcp-gateway/cmd/mcp-gateway/run/home"
	"mcp-gateway/cmd/mcp-gateway/run/served"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/cmd/mcp-gateway/run/terms"
	"mcp-gateway/cmd/mcp-gateway/run/whois"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/present"
	"mcp-gateway/registry"
	"mcp-gateway/store"
)

// Validate checks configuration, exposure and policy, and changes nothing. A secret
// that one upstream lacks is a problem too, though the others would be served. The
// remarks are about what is no problem and seldom meant.
func Validate(ctx context.Context, configPath string) (remarks []string, err error) {
	c, err := config.Load(configPath)
	if err != nil {
		return nil, err
	}
	g := &Gateway{options: Options{Clock: time.Now}, config: c}
	if _, err = g.plan(ctx, c); err != nil {
		return nil, err
	}
	return c.Remarks(), absent.Problems(c)
}

// Inspection is what is known of upstreams and their tools, without serving.
type Inspection struct {
	Config   *config.Config
	Exposure *registry.Exposure
	Registry *registry.Registry
	Facts    map[string]registry.UpstreamFact
	Profiles map[string]registry.Profile // what was last put on record of each
	History  []registry.Seen
	// Served is nil for each upstream that the gateways which run asked just now, and why
	// not for others; nil where nothing was to be asked or no gateway runs.
	Served map[string]error
	said   sync.Map // by the id of one that was asked and did not answer: the last lines of its stderr, cleaned
	Alive  bool     // a gateway runs on this state, or the upstreams were asked just now
}

// Said returns the last lines that the process of an upstream wrote to stderr, cleaned,
// where it was asked here and did not answer.
func (in *Inspection) Said(id string) []string {
	lines, _ := in.said.Load(id)
	said, _ := lines.([]string)
	return said
}

// Nobody is the Only of an inspection that asks no upstream.
const Nobody = "-"

// Inspect returns what the last runs observed. An upstream that was never
// observed is asked itself, and with fresh every one is: by the gateways that run on
// the state directory, so that what is seen is what they serve, else here. What they
// say is kept as an observation.
func Inspect(ctx context.Context, o Options, fresh bool) (*Inspection, error) {
	c, err := config.Load(o.ConfigPath)
	if err != nil {
		return nil, err
	}
	o.Clock = time.Now
	g := &Gateway{options: o, config: c}
	in := &Inspection{Config: c, Facts: map[string]registry.UpstreamFact{}, Profiles: map[string]registry.Profile{}}
	if in.Exposure, err = c.ReviewedExposure(); err != nil {
		return nil, err
	}
	if err := home.Make(c.State.Dir); err != nil {
		return nil, err
	}
	if g.store, err = store.Open(ctx, filepath.Join(c.State.Dir, store.Name)); err != nil {
		return nil, err
	}
	defer func() { _ = g.store.Close() }() // read and committed: nothing is lost
	in.Registry = registry.New(registry.Options{
		Present: present.Items(terms.Planned(c)),
		Trust:   func(id string) bool { return c.Upstreams[id] != nil && c.Upstreams[id].TrustDefinitions },
		Facts:   g.whois.Facts,
	})
	g.whois.Set(c, in.Exposure)
	in.Registry.SetExposure(in.Exposure)
	if fresh {
		in.Served = served.Refresh(ctx, c.State.Dir, o.asked(c))
	}
	if err := in.recall(ctx, g.store, &g.whois); err != nil {
		return nil, err
	}
	in.Alive = fresh || alive(filepath.Join(c.State.Dir, JournalDir))
	return in, in.ask(ctx, g, fresh)
}

// asked are the upstreams that an inspection is to ask.
func (o *Options) asked(c *config.Config) []string {
	if o.Only != "" {
		return []string{o.Only}
	}
	return slices.Collect(maps.Keys(c.Upstreams))
}

// alive says whether a gateway writes to the journal.
func alive(dir string) bool {
	ws, err := folder.Writers(dir)
	return err == nil && slices.ContainsFunc(ws, func(w folder.Writer) bool { return folder.Alive(dir, w) })
}

// recall publishes, of each upstream, what its last list held.
func (in *Inspection) recall(ctx context.Context, history registry.History, who *whois.Registrar) error {
	var err error
	if in.History, err = history.Definitions(ctx, ""); err != nil {
		return err
	}
	who.Recall(in.History)
	facts, err := history.Upstreams(ctx)
	if err != nil {
		return err
	}
	for _, f := range facts {
		in.Facts[f.ID] = f
		if in.Profiles[f.ID], _, err = history.Profile(ctx, f.ID); err != nil {
			return err
		}
	}
	last := whois.Last(in.History)
	lists := make(map[string]*registry.Listing)
	for _, s := range in.History {
		id := s.ID.Upstream
		if !s.Last.Equal(last[id]) || in.Config.Upstreams[id] == nil {
			continue
		}
		if lists[id] == nil {
			lists[id] = whois.Met(in.Facts[id])
		}
		whois.Put(lists[id], s)
	}
	for id, listing := range lists {
		if _, err := in.Registry.Publish(id, *listing); err != nil {
			return err
		}
	}
	return nil
}

// askTime is how long one upstream may take to start and list.
const askTime = 90 * time.Second

// ask lists the upstreams of which nothing is known, or all. One that does not
// answer is a fact, not an error.
func (in *Inspection) ask(ctx context.Context, g *Gateway, fresh bool) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	g.options.Log = zap.NewNop()
	p := &plan{config: in.Config}
	var mu sync.Mutex
	var wait sync.WaitGroup
	var failed error
	for id := range in.Config.Upstreams {
		met := whois.Listed(id, in.Facts[id], in.History)
		failure, running := in.Served[id]
		fresh := fresh && (!running || failure != nil)
		if only := g.options.Only; only != "" && id != only || only == "" && met && !fresh {
			continue
		}
		wait.Go(func() {
			fact, err := in.askOne(ctx, g, p, id)
			mu.Lock()
			defer mu.Unlock()
			in.Facts[id], failed = fact, errors.Join(failed, err)
		})
	}
	wait.Wait()
	return failed
}

func (in *Inspection) askOne(ctx context.Context, g *Gateway, p *plan, id string) (registry.UpstreamFact, error) {
	if missing := in.Config.Upstreams[id].Missing; len(missing) > 0 {
		if g.options.Only != "" {
			return registry.UpstreamFact{}, missing
		}
		return absent.Upstream(id).Fact(), nil // a gateway may have it: nothing is kept
	}
	client, err := g.client(ctx, p, id)
	if err != nil {
		return registry.UpstreamFact{ID: id}, fmt.Errorf("upstream %s: %w", id, err)
	}
	defer client.Close()
	listing, err := client.List(ctx)
	fact := client.Fact()
	fact.ID, fact.At = id, time.Now()
	if err != nil {
		fact.Up = false
		in.said.Store(id, client.Stderr())
		var e *gateway.Error
		if errors.As(err, &e) && len(e.Reasons) > 0 {
			fact.Reason = string(tell.Failed(fact, e.Reasons[0], err))
		}
		if in.Served != nil { // a gateway runs and keeps how it stands itself
			return fact, nil
		}
		return fact, errors.Join(g.store.SetUpstream(ctx, fact), g.store.Observe(ctx, fact.At, in.Registry.Unmet(id)))
	}
	if _, err := in.Registry.Publish(id, listing); err != nil {
		return fact, err
	}
	seen := in.Registry.Seen(id)
	return fact, errors.Join(g.store.Observe(ctx, fact.At, seen), g.store.SetUpstream(ctx, fact))
}
