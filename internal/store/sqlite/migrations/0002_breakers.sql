-- Of each agent in each session, the newest opinions of the judge that count.
CREATE TABLE breakers (
    agent    TEXT NOT NULL,
    session  TEXT NOT NULL, -- '' for calls without one
    opinions TEXT NOT NULL, -- JSON, oldest first
    PRIMARY KEY (agent, session)
) STRICT, WITHOUT ROWID;
