CREATE TABLE retrysafe_records (
    scope          bytea   PRIMARY KEY,
    caller         text    NOT NULL,
    operation      text    NOT NULL,
    key            text    NOT NULL,
    fingerprint    bytea   NOT NULL,
    state          text    NOT NULL CHECK (state IN ('in_flight', 'complete')),
    token          bytea   NOT NULL,
    created        bigint  NOT NULL,
    locked_at      bigint  NOT NULL,
    lease_until    bigint  NOT NULL,
    expires        bigint  NOT NULL,
    recovery_point text    NOT NULL DEFAULT '',
    steps          bytea   NOT NULL DEFAULT '',
    payload        bytea   NOT NULL DEFAULT '',
    status         integer NOT NULL DEFAULT 0,
    header         bytea   NOT NULL DEFAULT '',
    body           bytea   NOT NULL DEFAULT '',
    dropped        boolean NOT NULL DEFAULT false,
    resource_id    text    NOT NULL DEFAULT ''
);

COMMENT ON TABLE retrysafe_records IS 'Idempotency records. Times are microseconds since 1970; see the view retrysafe_readable.';

-- Small: holds only what is being worked on.
CREATE INDEX retrysafe_in_flight ON retrysafe_records (lease_until) WHERE state = 'in_flight';

-- For the reaper. Rows arrive in order of creation, so that a block range index costs next to nothing.
CREATE INDEX retrysafe_created ON retrysafe_records USING brin (created);

CREATE FUNCTION retrysafe_now() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;

CREATE VIEW retrysafe_readable AS
SELECT caller, operation, key, state, recovery_point, status, resource_id,
       to_timestamp(created / 1000000.0) AS created,
       to_timestamp(locked_at / 1000000.0) AS locked_at,
       to_timestamp(nullif(lease_until, 0) / 1000000.0) AS lease_until,
       to_timestamp(nullif(expires, 0) / 1000000.0) AS expires
FROM retrysafe_records;

-- Says whether the calling transaction may work on the scope: 0 yes, 1 a record stands there, 2 another transaction
-- works on the same request, 3 another transaction works on the scope with another payload.
-- Each statement of a volatile function has its own snapshot in READ COMMITTED, so that what a former holder of the
-- locks committed is seen once the locks are ours. The lock of the request is taken before that of the scope: whoever
-- gets the first and not the second knows that the holder of the second came with another payload.
-- A worker that hangs inside its transaction must not hold the key for ever: after p_idle milliseconds without a
-- statement the server ends its session.
CREATE FUNCTION retrysafe_claim(p_scope bytea, p_scope_lock bigint, p_request_lock bigint, p_now bigint, p_idle text) RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    moment bigint := coalesce(p_now, retrysafe_now());
    standing retrysafe_records.state%TYPE;
    expiry bigint;
    verdict integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(p_request_lock) THEN
        verdict := 2;
    ELSIF NOT pg_try_advisory_xact_lock(p_scope_lock) THEN
        verdict := 3;
    END IF;
    IF verdict > 0 THEN -- the holder may have been another reader of a record that stands
        PERFORM 1 FROM retrysafe_records WHERE scope = p_scope AND (state = 'in_flight' OR expires > moment);
        RETURN CASE WHEN FOUND THEN 1 ELSE verdict END;
    END IF;
    PERFORM set_config('idle_in_transaction_session_timeout', p_idle, true);
    SELECT state, expires INTO standing, expiry FROM retrysafe_records WHERE scope = p_scope;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    IF standing = 'in_flight' OR expiry > moment THEN
        RETURN 1;
    END IF;
    DELETE FROM retrysafe_records WHERE scope = p_scope AND state = 'complete' AND expires <= moment;
    RETURN 0;
END
$$;

-- Keeps an answer. It takes bytes and texts in hexadecimal, so that a caller can write the call as a text that no value
-- can escape from, and send it in one message with the COMMIT; the insert inside is planned once for each session.
CREATE FUNCTION retrysafe_keep(p_now bigint, p_scope text, p_caller text, p_operation text, p_key text, p_fingerprint text, p_token text,
    p_window bigint, p_status integer, p_header text, p_body text, p_dropped boolean, p_resource_id text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    moment bigint := coalesce(p_now, retrysafe_now());
BEGIN
    INSERT INTO retrysafe_records (scope, caller, operation, key, fingerprint, state, token, created, locked_at, lease_until, expires,
        status, header, body, dropped, resource_id)
    VALUES (decode(p_scope, 'hex'), convert_from(decode(p_caller, 'hex'), 'UTF8'), convert_from(decode(p_operation, 'hex'), 'UTF8'),
        convert_from(decode(p_key, 'hex'), 'UTF8'), decode(p_fingerprint, 'hex'), 'complete', decode(p_token, 'hex'), moment, moment, 0,
        moment + p_window, p_status, decode(p_header, 'hex'), decode(p_body, 'hex'), p_dropped, convert_from(decode(p_resource_id, 'hex'), 'UTF8'));
END
$$;
