-- Actions: calls with side effects, from before they were sent. Times are
-- nanoseconds since 1970, UTC; 0 = not yet.
CREATE TABLE actions (
    action      TEXT    PRIMARY KEY,
    attempt     INTEGER NOT NULL,
    scope       BLOB    UNIQUE,        -- what its key counts within; NULL = it holds no key
    source      TEXT    NOT NULL,      -- of the key
    sealed      TEXT    NOT NULL,      -- the key
    salt        BLOB    NOT NULL,
    arguments   TEXT    NOT NULL,      -- salted digest
    upstream    TEXT    NOT NULL,
    tool        TEXT    NOT NULL,
    principal   TEXT    NOT NULL,      -- pseudonym
    tenant      TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    writer      TEXT    NOT NULL,      -- of the journal
    approval    TEXT    NOT NULL,
    draft       BLOB    NOT NULL,
    began       INTEGER NOT NULL,
    settled     INTEGER NOT NULL,
    code        TEXT    NOT NULL DEFAULT '',
    external_id TEXT    NOT NULL DEFAULT '',
    result      TEXT    NOT NULL DEFAULT '', -- sealed
    decided     TEXT    NOT NULL DEFAULT '', -- replica boot seq hash
    finished    TEXT    NOT NULL DEFAULT '',
    told_by     TEXT    NOT NULL DEFAULT '', -- source of a reconciled outcome
    decided_by  TEXT    NOT NULL DEFAULT '',
    why         TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX actions_open ON actions (state, writer);
CREATE INDEX actions_began ON actions (began);

-- Receipts as they were given out.
CREATE TABLE receipts (
    id       INTEGER PRIMARY KEY,
    action   TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    outcome  TEXT    NOT NULL,
    digest   TEXT    NOT NULL UNIQUE,
    envelope BLOB    NOT NULL
) STRICT;
CREATE INDEX receipts_action ON receipts (action);

-- Approval tickets. A ticket changes its state once, but for approved → consumed,
-- expired or cancelled.
CREATE TABLE tickets (
    id         TEXT    PRIMARY KEY,
    state      TEXT    NOT NULL, -- pending approved denied expired cancelled consumed
    binding    TEXT    NOT NULL, -- digest of what it is bound to
    issuer     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    tenant     TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    upstream   TEXT    NOT NULL,
    tool       TEXT    NOT NULL,
    definition TEXT    NOT NULL,
    arguments  TEXT    NOT NULL, -- digest
    shown      TEXT    NOT NULL, -- what an approver sees, sealed; '' once it ended
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    decided    INTEGER NOT NULL DEFAULT 0,
    ended      INTEGER NOT NULL DEFAULT 0,
    approver   TEXT    NOT NULL DEFAULT '',
    approver_groups TEXT NOT NULL DEFAULT '', -- separated by spaces
    self       INTEGER NOT NULL DEFAULT 0,
    via        TEXT    NOT NULL DEFAULT '', -- elicitation, cli, console
    reason     TEXT    NOT NULL DEFAULT '',
    action     TEXT    NOT NULL DEFAULT '' -- that consumed it
) STRICT;
-- Identical asks share one ticket while it is open.
CREATE UNIQUE INDEX tickets_open ON tickets (binding) WHERE state IN ('pending', 'approved');
CREATE INDEX tickets_created ON tickets (created);
