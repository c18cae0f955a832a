-- Every definition that an upstream ever listed. Times are nanoseconds since
-- 1970, UTC.
CREATE TABLE definitions (
    id         INTEGER PRIMARY KEY,
    upstream   TEXT    NOT NULL,
    kind       TEXT    NOT NULL, -- '' = tool
    name       TEXT    NOT NULL,
    digest     TEXT    NOT NULL,
    raw        BLOB    NOT NULL, -- as sent
    state      TEXT    NOT NULL, -- as of last_seen
    reasons    TEXT    NOT NULL, -- separated by spaces
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    UNIQUE (upstream, kind, name, digest)
) STRICT;

-- How each upstream was last met.
CREATE TABLE upstreams (
    id              TEXT    PRIMARY KEY,
    era             TEXT    NOT NULL,
    revision        TEXT    NOT NULL,
    up              INTEGER NOT NULL,
    reason          TEXT    NOT NULL,
    at              INTEGER NOT NULL,
    claimed_name    TEXT    NOT NULL,
    claimed_version TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
