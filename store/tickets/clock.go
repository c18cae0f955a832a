package tickets

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// clock is the time by which tickets and consents end. It never goes back: it is at
// least what any process on the database has seen, and while this one runs it goes on
// though the machine's own clock was set back.
type clock struct {
	mu   sync.Mutex
	mark int64
	seen time.Time // when the mark was reckoned, by the monotonic clock where it has one
}

// at returns what time it is, in nanoseconds since 1970.
func (c *clock) at(now time.Time) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	mark := now.UnixNano()
	if !c.seen.IsZero() {
		mark = onward(c.mark, now.Sub(c.seen), mark)
	}
	c.raise(mark, now)
	return mark
}

// onward is the time after so much has passed since a mark, while the clock says wall.
func onward(mark int64, passed time.Duration, wall int64) int64 {
	return max(wall, mark+max(0, int64(passed)))
}

// learn takes over what others have seen.
func (c *clock) learn(mark int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raise(mark, now)
}

func (c *clock) raise(mark int64, now time.Time) {
	if c.seen.IsZero() || mark > c.mark {
		c.mark, c.seen = mark, now
	}
}

// over holds for what is open and whose time has come: by the clock as it stands, ?1, or
// by the time that never goes back, ?2 or what is on record of it.
const over = "state IN ('pending', 'approved') AND (expires <= ?1 OR ends <= max(?2, (SELECT mark FROM clock)))"

// tick puts the time on record, so that no other will be earlier, ends what is over by
// it, and returns it.
func (b *Box) tick(ctx context.Context, tx *sql.Tx, now time.Time) (int64, error) {
	var mark int64
	err := tx.QueryRowContext(ctx, "UPDATE clock SET mark = max(mark, ?) RETURNING mark", b.clock.at(now)).Scan(&mark)
	if err != nil {
		return 0, err
	}
	b.clock.learn(mark, now)
	_, err = tx.ExecContext(ctx, "UPDATE tickets SET state = 'expired', noted = 0, shown = '' WHERE "+over, now.UnixNano(), mark)
	return mark, err
}

// slack is how far the time on record may be behind while something is open: a process
// that starts after another has died, on a clock that was set back, knows no more.
const slack = 5 * time.Second

// due says whether a sweep has anything to write.
func (b *Box) due(ctx context.Context, now time.Time) (due bool, err error) {
	err = b.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM tickets WHERE `+over+`)
			OR ?2 - mark > ?3 AND (EXISTS (SELECT 1 FROM tickets WHERE state IN ('pending', 'approved'))
				OR EXISTS (SELECT 1 FROM consents WHERE ends > mark))
		FROM clock`, now.UnixNano(), b.clock.at(now), slack.Nanoseconds()).Scan(&due)
	return due, err
}

// isOver says whether a ticket is open still, though its time has come.
func (b *Box) isOver(ctx context.Context, id string, now time.Time) (is bool, err error) {
	err = b.Read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM tickets WHERE id = ?3 AND "+over+")",
		now.UnixNano(), b.clock.at(now), id).Scan(&is)
	return is, err
}
