CREATE TABLE retrysafe_records (
    scope          BLOB    PRIMARY KEY,
    caller         TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    fingerprint    BLOB    NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('in_flight', 'complete')),
    token          BLOB    NOT NULL,
    created        INTEGER NOT NULL,
    locked_at      INTEGER NOT NULL,
    lease_until    INTEGER NOT NULL,
    expires        INTEGER NOT NULL,
    recovery_point TEXT    NOT NULL DEFAULT '',
    steps          BLOB    NOT NULL DEFAULT x'',
    payload        BLOB    NOT NULL DEFAULT x'',
    status         INTEGER NOT NULL DEFAULT 0,
    header         BLOB    NOT NULL DEFAULT x'',
    body           BLOB    NOT NULL DEFAULT x'',
    dropped        INTEGER NOT NULL DEFAULT 0,
    resource_id    TEXT    NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE INDEX retrysafe_in_flight ON retrysafe_records (lease_until) WHERE state = 'in_flight';

CREATE INDEX retrysafe_created ON retrysafe_records (created);
