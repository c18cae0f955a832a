package plain

import (
	"sync"
	"time"
)

// pool holds connections that nobody uses. Each was used once at least, and is as
// its last exchange left it: no bytes pending, no deadline.
type pool struct {
	perHost int
	rest    time.Duration

	mu    sync.Mutex
	lines map[string][]*line // by address, the one that was used last at the end
	sweep *time.Timer        // runs while there are any
}

// take returns a connection that is alive, the one that was used last, or nil.
func (p *pool) take(address string) *line {
	for {
		p.mu.Lock()
		idle := p.lines[address]
		if len(idle) == 0 {
			p.mu.Unlock()
			return nil
		}
		l := idle[len(idle)-1]
		idle[len(idle)-1] = nil
		p.lines[address] = idle[:len(idle)-1]
		p.mu.Unlock()
		if l.alive() {
			return l
		}
		l.close()
	}
}

// put keeps a connection, or closes it where there are enough.
func (p *pool) put(l *line) {
	l.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.lines[l.address]
	if len(idle) >= p.perHost {
		l.close()
		return
	}
	p.lines[l.address] = append(idle, l)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(p.rest, p.tidy)
	}
}

// tidy closes what was idle for too long, and comes again while there is more.
func (p *pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep = nil
	now := time.Now()
	for address, idle := range p.lines {
		old := 0
		for old < len(idle) && now.Sub(idle[old].since) >= p.rest {
			idle[old].close()
			old++
		}
		p.lines[address] = append(idle[:0:0], idle[old:]...)
		if len(p.lines[address]) == 0 {
			delete(p.lines, address)
		}
	}
	if len(p.lines) > 0 {
		p.sweep = time.AfterFunc(p.rest/2, p.tidy)
	}
}

// empty closes all.
func (p *pool) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, idle := range p.lines {
		for _, l := range idle {
			l.close()
		}
	}
	clear(p.lines)
}
