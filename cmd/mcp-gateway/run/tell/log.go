package tell

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/answer"
	"mcp-gateway/registry"
	"mcp-gateway/telemetry"
)

// Log writes to the operator's log, and counts what of it telemetry counts.
type Log struct {
	Zap       *zap.Logger
	Telemetry *telemetry.Telemetry // nil: nobody hears it
	Told      *Told                // what was said of upstreams; nil: everything is said
}

// Told remembers what was last said of each upstream, so that one that stays down for
// the same cause is told of once, and what became of the last reload. The zero value
// remembers nothing.
type Told struct {
	last    sync.Map
	lists   sync.Map // by upstream, why its list could not be fetched
	refused atomic.Pointer[[]gateway.Reason]
}

// Refused are the codes for which the last change of files was refused, so that what
// is in force is not what they say; none where it is.
func (t *Told) Refused() []gateway.Reason {
	if codes := t.refused.Load(); codes != nil {
		return *codes
	}
	return nil
}

func (t *Told) again(f *registry.UpstreamFact) bool {
	if t == nil {
		return false
	}
	now := [...]string{f.Reason, f.Era, f.Revision, f.Confined, strconv.FormatBool(f.Up)}
	before, _ := t.last.Swap(f.ID, now)
	return before == now
}

// unfetched says whether the same was said of an upstream's list before.
func (t *Told) unfetched(id string, err error) bool {
	if t == nil {
		return false
	}
	before, _ := t.lists.Swap(id, err.Error())
	return before == err.Error()
}

func (t *Told) fetched(id string) {
	if t != nil {
		t.lists.Delete(id)
	}
}

// Call tells of a call that was not answered as it was meant.
func (l Log) Call(c *proxy.Call) {
	fields := []zap.Field{
		zap.Stringer("call", c.ID), zap.String("code", string(c.Err.Code)), zap.String("stage", c.Err.Stage),
	}
	if c.Item.Valid() {
		fields = append(fields, zap.Stringer("tool", c.Item.Item().ID))
	}
	if c.Err.Err != nil {
		fields = append(fields, zap.NamedError("cause", c.Err.Err))
	}
	if answer.Loud(c.Err.Code) {
		l.Zap.Error("call failed", fields...)
		return
	}
	l.Zap.Debug("call refused", fields...)
}

// List tells of a list that changed, or could not be fetched.
func (l Log) List(id string, c registry.Changes, err error) {
	log := l.Zap.With(zap.String("upstream", id))
	if err != nil {
		if l.Told.unfetched(id, err) {
			return
		}
		var e *gateway.Error
		if errors.As(err, &e) {
			log = log.With(zap.String("code", string(e.Code)))
		}
		log.Warn("list not refreshed", zap.Error(err))
		return
	}
	l.Told.fetched(id)
	l.Telemetry.Drift(context.Background(), id, len(c.Changed))
	if len(c.Added)+len(c.Changed)+len(c.Removed) == 0 && !c.Partial {
		return
	}
	log.Info("list changed", zap.Int("added", len(c.Added)), zap.Int("changed", len(c.Changed)),
		zap.Int("removed", len(c.Removed)), zap.Int("approved", len(c.Approved)),
		zap.Int("held_back", len(c.Quarantined)), zap.Int("withheld", len(c.Withheld)), zap.Bool("partial", c.Partial))
}

// Fact tells what is known of an upstream from now on, once for each change, and as a
// warning why it is down.
func (l Log) Fact(f registry.UpstreamFact) {
	l.Telemetry.Upstream(context.Background(), f.ID, f.Up)
	if l.Told.again(&f) {
		return
	}
	fields := []zap.Field{zap.String("upstream", f.ID), zap.Bool("up", f.Up), zap.String("reason", f.Reason),
		zap.String("era", f.Era), zap.String("revision", f.Revision)}
	if f.Confined != "" {
		fields = append(fields, zap.String("confined", f.Confined))
	}
	if cause := Cause(f); cause != "" {
		l.Zap.Warn("upstream", append(fields, zap.String("cause", cause))...)
		return
	}
	l.Zap.Info("upstream", fields...)
}

// Credential tells that an upstream's token could not be had.
func (l Log) Credential(id string, err error) {
	l.Zap.Warn("no credential for the upstream", zap.String("upstream", id), zap.Error(err))
}

// Stderr passes on a line of a child, which is clean.
func (l Log) Stderr(id, line string) {
	l.Zap.Named(children).Debug("stderr", zap.String("upstream", id), zap.String("line", line))
}

// Reload tells what became of files that changed.
func (l Log) Reload(err error) {
	l.Telemetry.Reloaded(context.Background(), err == nil)
	if l.Told != nil {
		l.Told.refused.Store(nil)
	}
	if err != nil {
		if l.Told != nil {
			codes := Codes(err)
			l.Told.refused.Store(&codes)
		}
		l.Zap.Error("reload refused; the old configuration stays", zap.Error(err))
		return
	}
	l.Zap.Info("reloaded")
}

// Kept tells of settings that changed in the file and wait for a restart.
func (l Log) Kept(names []string) {
	if len(names) > 0 {
		l.Zap.Warn("these settings need a restart; the others are in force", zap.Strings("settings", names))
	}
}

// Recorded tells that something could not be put on record, if so.
func (l Log) Recorded(err error) {
	if err != nil {
		l.Zap.Error("what happened could not be put on record", zap.Error(err))
	}
}

// Seal tells that a checkpoint was not made, or not taken to its second place.
func (l Log) Seal(err error) {
	l.Telemetry.SealFailed(context.Background())
	l.Zap.Error("a checkpoint was not made or not taken to its second place; it is tried again", zap.Error(err))
}

// Status tells that health and metrics are not served, if so.
func (l Log) Status(err error) {
	if err != nil {
		l.Zap.Error("health and metrics are not served", zap.Error(err))
	}
}

// Last tells that the last metrics and traces were lost, if they were.
func (l Log) Last(err error) {
	if err != nil {
		l.Zap.Warn("the last metrics and traces were lost", zap.Error(err))
	}
}
