-- The latest time that anyone who answers for tickets has seen, in nanoseconds since 1970.
-- It never goes back, whatever clocks do, so what ended by it stays ended.
CREATE TABLE clock (mark INTEGER NOT NULL) STRICT;
INSERT INTO clock (mark) SELECT coalesce(max(max(created, decided, ended)), 0) FROM tickets;
-- When they end by that time; expires is what people were told.
ALTER TABLE tickets ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
UPDATE tickets SET ends = expires;
ALTER TABLE consents ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
UPDATE consents SET ends = expires;
CREATE INDEX tickets_untold ON tickets (id) WHERE state = 'expired' AND ended = 0;
