-- Whether it is known that how the ticket stands is on record. What was decided before is
-- taken to be; what nobody was told to have expired is not.
ALTER TABLE tickets ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;
UPDATE tickets SET noted = 1 WHERE state <> 'pending' AND NOT (state = 'expired' AND ended = 0);
DROP INDEX tickets_untold;
CREATE INDEX tickets_unnoted ON tickets (decided) WHERE noted = 0 AND state <> 'pending';
