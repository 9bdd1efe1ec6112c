CREATE TABLE retrysafe_records (
    scope          uuid    PRIMARY KEY,
    caller         text    NOT NULL,
    operation      text    NOT NULL,
    key            text    NOT NULL,
    fingerprint    bytea   NOT NULL,
    state          text    NOT NULL,
    token          bytea   NOT NULL,
    created        bigint  NOT NULL,
    locked_at      bigint  NOT NULL,
    lease_until    bigint,
    expires        bigint,
    recovery_point text,
    steps          bytea,
    payload        bytea,
    status         integer,
    header         bytea,
    body           bytea,
    resource_id    text
);

COMMENT ON TABLE retrysafe_records IS 'Idempotency records. Times are microseconds since 1970; see the view retrysafe_readable.';
COMMENT ON COLUMN retrysafe_records.scope IS 'The first half of the SHA-256 of caller, operation and key, so that the index stays small.';
COMMENT ON COLUMN retrysafe_records.state IS 'in_flight or complete. Not a CHECK, which every insert would pay for.';
COMMENT ON COLUMN retrysafe_records.lease_until IS 'Null once the record is complete.';
COMMENT ON COLUMN retrysafe_records.body IS 'Null in a complete record: the answer was over the bound and not kept.';
COMMENT ON COLUMN retrysafe_records.expires IS 'Null until the record is complete.';

-- For the completer and the reaper. First come the few that are in flight, by the end of their lease; then, where
-- lease_until is null, the complete ones in order of creation, so that a new one is added at the end of the index.
CREATE INDEX retrysafe_due ON retrysafe_records (lease_until, created);

CREATE FUNCTION retrysafe_now() RETURNS bigint LANGUAGE sql STABLE
RETURN (date_part('epoch', statement_timestamp()) * 1000000)::bigint;

CREATE VIEW retrysafe_readable AS
SELECT caller, operation, key, state, recovery_point, status, resource_id,
       to_timestamp(created / 1000000.0) AS created,
       to_timestamp(locked_at / 1000000.0) AS locked_at,
       to_timestamp(lease_until / 1000000.0) AS lease_until,
       to_timestamp(expires / 1000000.0) AS expires
FROM retrysafe_records;

-- Says whether the calling transaction may work on the scope: 1 yes, 2 a record stands there, 3 another transaction
-- works on the same request, 4 another transaction works on the scope with another payload.
-- Each statement of a volatile function has its own snapshot in READ COMMITTED, so that what a former holder of the
-- locks committed is seen once the locks are ours. The lock of the request is taken before that of the scope: whoever
-- gets the first and not the second knows that the holder of the second came with another payload.
-- A worker that hangs inside its transaction must not hold the key for ever: after p_idle milliseconds without a
-- statement the server ends its session.
CREATE FUNCTION retrysafe_claim(p_scope uuid, p_scope_lock bigint, p_request_lock bigint, p_now bigint, p_idle text) RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    verdict integer := CASE
        WHEN NOT pg_try_advisory_xact_lock(p_request_lock) THEN 3
        WHEN NOT pg_try_advisory_xact_lock(p_scope_lock) THEN 4
        ELSE 1 END;
    -- null where there is no record
    expiry bigint := (SELECT coalesce(expires, 9223372036854775807) FROM retrysafe_records WHERE scope = p_scope);
BEGIN
    IF expiry > coalesce(p_now, retrysafe_now()) THEN
        RETURN 2; -- whoever holds the locks may be another reader of it
    ELSIF verdict > 1 THEN
        RETURN verdict;
    ELSIF expiry IS NOT NULL THEN
        DELETE FROM retrysafe_records WHERE scope = p_scope AND expires = expiry;
    END IF;
    p_idle := set_config('idle_in_transaction_session_timeout', p_idle, true);
    RETURN 1;
END
$$;

-- Keeps an answer. It takes texts as bytes, so that a caller can write the call as a text that no value can escape
-- from, and send it in one message with the COMMIT; the insert inside is planned once for each session.
CREATE FUNCTION retrysafe_keep(p_now bigint, p_scope uuid, p_caller bytea, p_operation bytea, p_key bytea, p_fingerprint bytea, p_token bytea,
    p_window bigint, p_status integer, p_header bytea, p_body bytea, p_resource_id bytea) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    moment bigint := coalesce(p_now, retrysafe_now());
BEGIN
    INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, expires,
        status, header, body, resource_id)
    VALUES (p_scope, convert_from(p_caller, 'UTF8'), convert_from(p_operation, 'UTF8'), convert_from(p_key, 'UTF8'),
        p_fingerprint, 'complete', p_token, moment, moment, moment + p_window,
        p_status, p_header, p_body, convert_from(p_resource_id, 'UTF8'));
END
$$;
