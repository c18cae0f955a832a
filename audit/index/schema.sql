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
  approver  INTEGER,
  subject   INTEGER,
  tenant    INTEGER,
  client    INTEGER,
  method    INTEGER,
  upstream  INTEGER,
  tool      INTEGER,
  tool_ref  INTEGER,
  effect    INTEGER,
  reasons   INTEGER,
  noted     INTEGER,
  code      INTEGER,
  outcome   INTEGER,
  state     INTEGER,
  transport INTEGER,
  policy    INTEGER,
  definition INTEGER,
  faults    INTEGER,
  label     INTEGER,
  approval  BLOB,
  duration  INTEGER,
  count     INTEGER,
  end_writer INTEGER,
  end_seq    INTEGER
) STRICT;

CREATE INDEX IF NOT EXISTS event_at             ON event (at);
CREATE INDEX IF NOT EXISTS event_action         ON event (action) WHERE action IS NOT NULL;
-- Pairs are told apart within these, without a look at the row. An index whose first
-- columns are a pair would have a place to write to for each pair that there is: pages
-- that no cache holds, read and written again with every batch.
CREATE INDEX IF NOT EXISTS event_principal      ON event (principal, at, tool, effect) WHERE principal IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_tool           ON event (tool, at, principal, effect) WHERE tool IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_effect         ON event (effect, at) WHERE effect IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_approval       ON event (approval) WHERE approval IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_approver       ON event (approver, at) WHERE approver IS NOT NULL;

-- What may be asked in SQL: one row per action or other event, with words in
-- place of their numbers. The columns and their meaning are documented; the
-- tables are not, and change.
CREATE VIEW IF NOT EXISTS events AS SELECT
  strftime('%Y-%m-%dT%H:%M:%S', e.time / 1000000000, 'unixepoch') || printf('.%09dZ', e.time % 1000000000) AS time,
  (SELECT text FROM word WHERE id = e.type) AS type,
  lower(substr(hex(e.uuid),1,8)||'-'||substr(hex(e.uuid),9,4)||'-'||substr(hex(e.uuid),13,4)||'-'||substr(hex(e.uuid),17,4)||'-'||substr(hex(e.uuid),21)) AS event,
  CASE WHEN e.action IS NOT NULL THEN lower(substr(hex(e.action),1,8)||'-'||substr(hex(e.action),9,4)||'-'||substr(hex(e.action),13,4)||'-'||substr(hex(e.action),17,4)||'-'||substr(hex(e.action),21)) END AS action,
  w.replica AS replica, w.boot AS boot, e.seq AS seq,
  (SELECT text FROM word WHERE id = e.principal) AS principal,
  (SELECT text FROM word WHERE id = e.approver) AS approver,
  CASE WHEN e.approval IS NOT NULL THEN lower(substr(hex(e.approval),1,8)||'-'||substr(hex(e.approval),9,4)||'-'||substr(hex(e.approval),13,4)||'-'||substr(hex(e.approval),17,4)||'-'||substr(hex(e.approval),21)) END AS approval,
  (SELECT text FROM word WHERE id = e.subject) AS subject,
  (SELECT text FROM word WHERE id = e.tenant) AS tenant,
  (SELECT text FROM word WHERE id = e.client) AS client,
  (SELECT text FROM word WHERE id = e.transport) AS transport,
  (SELECT text FROM word WHERE id = e.method) AS method,
  (SELECT text FROM word WHERE id = e.upstream) AS upstream,
  (SELECT text FROM word WHERE id = e.tool) AS tool,
  (SELECT text FROM word WHERE id = e.tool_ref) AS tool_ref,
  (SELECT text FROM word WHERE id = e.definition) AS definition,
  (SELECT text FROM word WHERE id = e.state) AS state,
  (SELECT text FROM word WHERE id = e.policy) AS policy,
  (SELECT text FROM word WHERE id = e.effect) AS effect,
  (SELECT text FROM word WHERE id = e.reasons) AS reasons,
  (SELECT text FROM word WHERE id = e.noted) AS noted,
  (SELECT text FROM word WHERE id = e.faults) AS faults,
  (SELECT text FROM word WHERE id = e.code) AS code,
  (SELECT text FROM word WHERE id = e.outcome) AS outcome,
  (SELECT text FROM word WHERE id = e.label) AS label,
  e.duration AS duration_us, e.count AS count,
  e.end_seq IS NOT NULL AS settled
FROM event e JOIN writer w ON w.id = e.writer;
