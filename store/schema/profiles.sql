-- What each upstream was when it was last put on record, so that a change is told
-- once, by whichever process sees it first, also across restarts.
CREATE TABLE profiles (
    upstream     TEXT    PRIMARY KEY,
    identity     TEXT    NOT NULL,
    instructions TEXT    NOT NULL,
    capabilities TEXT    NOT NULL,
    era          TEXT    NOT NULL,
    revision     TEXT    NOT NULL,
    refused      TEXT    NOT NULL,
    at           INTEGER NOT NULL
) STRICT;
