-- Times are nanoseconds since 1970 UTC. Everything but contracts is written by
-- the transaction that also writes a record.

-- The steps of the schema that this database has seen.
CREATE TABLE migrations (
    version  INTEGER PRIMARY KEY,
    checksum TEXT NOT NULL, -- SHA-256 of the step's text
    at       INTEGER NOT NULL
) STRICT;

-- The evidence log. docs/spec/evidence.md explains the columns.
CREATE TABLE records (
    idx         INTEGER PRIMARY KEY, -- from 0, without gaps
    id          TEXT NOT NULL UNIQUE,
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    prev        TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    body        TEXT NOT NULL,
    hash        TEXT NOT NULL
) STRICT;

-- What each tally came to with each take. A tally is one counter, and one
-- session of it where session is not NULL.
CREATE TABLE takes (
    seq     INTEGER PRIMARY KEY,
    counter TEXT NOT NULL,
    session TEXT,
    at      INTEGER NOT NULL,
    total   TEXT NOT NULL -- exact decimal
) STRICT;
CREATE INDEX takes_of_tally ON takes (counter, session, at);

CREATE TABLE tickets (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    agent   TEXT NOT NULL,
    subject TEXT NOT NULL,    -- JSON
    open    INTEGER NOT NULL, -- 1 while it is neither answered nor used; it can be expired
    expires INTEGER NOT NULL,
    ticket  TEXT NOT NULL     -- JSON, with its answers
) STRICT;
CREATE INDEX tickets_of_subject ON tickets (subject);
CREATE INDEX tickets_of_agent ON tickets (agent, open, expires);

-- Sealed copies of held calls, erased when their ticket closes.
CREATE TABLE copies (
    ticket  TEXT PRIMARY KEY REFERENCES tickets (id),
    expires INTEGER NOT NULL,
    sealed  BLOB NOT NULL
) STRICT;

CREATE TABLE approvers (
    name       TEXT PRIMARY KEY,
    salt       BLOB NOT NULL,
    iterations INTEGER NOT NULL,
    key        BLOB NOT NULL
) STRICT;

-- Results of granted calls, as keyed hashes.
CREATE TABLE observations (
    idx     INTEGER PRIMARY KEY REFERENCES records (idx) DEFERRABLE INITIALLY DEFERRED,
    session TEXT NOT NULL,
    server  TEXT NOT NULL,
    tool    TEXT NOT NULL,
    leaves  BLOB NOT NULL
) STRICT;
CREATE INDEX observations_of_session ON observations (session, idx);

-- What granted calls left behind in their session, each mark once.
CREATE TABLE marks (
    session  TEXT NOT NULL,
    server   TEXT NOT NULL,
    tool     TEXT NOT NULL,
    argument TEXT NOT NULL, -- path; '' for the call itself
    digest   TEXT NOT NULL, -- keyed, of the argument's value; '' for the call itself
    PRIMARY KEY (session, server, tool, argument, digest)
) STRICT, WITHOUT ROWID;

-- Credentials that may speak as an agent. The secrets themselves are not kept.
CREATE TABLE credentials (
    name   TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE -- SHA-256 of the secret
) STRICT;

-- Contract texts by digest, so that a record can always be explained.
CREATE TABLE contracts (
    digest TEXT PRIMARY KEY,
    text   BLOB NOT NULL
) STRICT;
