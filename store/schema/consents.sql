-- Consent that stands for later calls of one tool by one caller, where policy allows
-- it. Times are nanoseconds since 1970, UTC.
CREATE TABLE consents (
    id         TEXT    PRIMARY KEY,
    scope      TEXT    NOT NULL, -- digest of what it is bound to: a ticket's binding without arguments
    issuer     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    tenant     TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    upstream   TEXT    NOT NULL,
    tool       TEXT    NOT NULL,
    definition TEXT    NOT NULL,
    ticket     TEXT    NOT NULL, -- at which it was given
    decided    INTEGER NOT NULL,
    expires    INTEGER NOT NULL, -- moved to now by its revocation
    approver   TEXT    NOT NULL,
    approver_groups TEXT NOT NULL,
    self       INTEGER NOT NULL,
    via        TEXT    NOT NULL,
    reason     TEXT    NOT NULL
) STRICT;
CREATE INDEX consents_scope ON consents (scope, expires);
CREATE INDEX tickets_binding ON tickets (binding, created);
