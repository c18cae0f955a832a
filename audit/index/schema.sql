-- One row per action (its decided event, with what its finished or orphaned
-- event added) or per other single event. Words are numbers, so that rows and
-- indexes stay small; the whole event stays in the journal, at its place.
CREATE TABLE IF NOT EXISTS word (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- How far each writer was read. clock is the last value of row.at given to it.
CREATE TABLE IF NOT EXISTS writer (
  id      INTEGER PRIMARY KEY,
  replica TEXT NOT NULL,
  boot    INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  offset  INTEGER NOT NULL,
  clock   INTEGER NOT NULL,
  done    INTEGER NOT NULL,
  UNIQUE (replica, boot)
) STRICT;

-- at: nanoseconds since 1970, made to grow within a writer although its clock
-- was stepped back, so that the order of rows is the order of the chain.
-- action: NULL for events that belong to no call.
CREATE TABLE IF NOT EXISTS event (
  id        INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  type      INTEGER NOT NULL,
  uuid      BLOB NOT NULL,
  action    BLOB,
  writer    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  principal INTEGER,
  subject   INTEGER,
  tenant    INTEGER,
  client    INTEGER,
  method    INTEGER,
  upstream  INTEGER,
  tool      INTEGER,
  tool_ref  INTEGER,
  effect    INTEGER,
  reasons   INTEGER,
  code      INTEGER,
  outcome   INTEGER,
  duration  INTEGER,
  count     INTEGER,
  end_writer INTEGER,
  end_seq    INTEGER
) STRICT;

CREATE INDEX IF NOT EXISTS event_at             ON event (at);
CREATE INDEX IF NOT EXISTS event_action         ON event (action) WHERE action IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_principal      ON event (principal, at) WHERE principal IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_tool           ON event (tool, at) WHERE tool IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_effect         ON event (effect, at) WHERE effect IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_principal_tool ON event (principal, tool, at) WHERE tool IS NOT NULL;
