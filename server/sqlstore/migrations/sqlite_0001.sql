CREATE TABLE retrysafe_records (
    scope          BLOB    PRIMARY KEY, -- the first half of the SHA-256 of caller, operation and key
    caller         TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    fingerprint    BLOB    NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('in_flight', 'complete')),
    token          BLOB    NOT NULL,
    created        INTEGER NOT NULL,
    locked_at      INTEGER NOT NULL,
    lease_until    INTEGER, -- null once the record is complete
    expires        INTEGER, -- null until the record is complete
    recovery_point TEXT,
    steps          BLOB,
    payload        BLOB,
    status         INTEGER,
    header         BLOB,
    body           BLOB,    -- null in a complete record: the answer was over the bound and not kept
    resource_id    TEXT
) WITHOUT ROWID;

-- For the completer and the reaper.
CREATE INDEX retrysafe_due ON retrysafe_records (lease_until, created);
