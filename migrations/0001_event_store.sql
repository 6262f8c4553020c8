-- +goose Up

-- What happened. A row is written once, inside the transaction of one append,
-- and never changed; data and metadata are kept as the bytes they were
-- written as, so that they can be hashed one day.
CREATE TABLE events (
    position    bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    id          uuid        NOT NULL,
    tenant      text        NOT NULL,
    stream      uuid        NOT NULL,
    version     int         NOT NULL,
    name        text        NOT NULL,
    patient     uuid,
    data        text        NOT NULL,
    metadata    text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    -- The optimistic lock: of two writers that saw the same version, one wins. A stream is
    -- one tenant's: whatever identifier another writes to, it is another stream (D116). One
    -- index with all three columns also loads a stream, whether there are statistics or not.
    CONSTRAINT events_stream_version UNIQUE (stream, tenant, version)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- With the tenant in it, no plan combines it with an index of all that a practice has.
CREATE INDEX events_patient ON events (patient, tenant, position) WHERE patient IS NOT NULL;

-- The log: idx is dense, final and causal. Everything downstream reads it.
CREATE TABLE log (
    idx      bigint PRIMARY KEY,
    position bigint NOT NULL UNIQUE
);

-- How far the log has come. The process that locks the row is the sequencer. Positions
-- are drawn before they are committed, so the sequencer passes some without seeing an
-- event. These are gaps, until the event appears or nobody is left who could write it.
CREATE TABLE sequencer (
    head      bigint   NOT NULL DEFAULT 0,    -- the last idx given out
    reached   bigint   NOT NULL DEFAULT 0,    -- the highest position placed
    gaps      bigint[] NOT NULL DEFAULT '{}', -- open positions below it
    watched   bigint[] NOT NULL DEFAULT '{}', -- gaps whose writers are waited for
    writers   text[]   NOT NULL DEFAULT '{}', -- those of them that are still writing
    condemned bigint[] NOT NULL DEFAULT '{}'  -- gaps whose writers have ended: looked for once more
) WITH (fillfactor = 10);
INSERT INTO sequencer DEFAULT VALUES;

-- How far each consumer of the feed has come.
CREATE TABLE feed_offsets (
    consumer text   PRIMARY KEY,
    idx      bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The serving role has no right to change what happened; the trigger above
-- also stops an owner's slip.
GRANT USAGE ON SCHEMA public TO frontdesk_app, frontdesk_audit;
GRANT SELECT, INSERT ON events, log TO frontdesk_app;
GRANT SELECT, UPDATE ON sequencer TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON feed_offsets TO frontdesk_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO frontdesk_audit;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO frontdesk_audit;

-- +goose Down
DROP TABLE feed_offsets, sequencer, log, events;
DROP FUNCTION refuse_change();
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE SELECT ON TABLES FROM frontdesk_audit;
