-- +goose Up

-- The access record: one row for each call whose signature held, with who called and how
-- it ended. Rows are written once, in batches, and never changed. The request id is a
-- UUIDv7, so that the newest rows are at the end of the index.
CREATE TABLE access_record (
    request_id  uuid        PRIMARY KEY,
    at          timestamptz NOT NULL,
    tenant      text        NOT NULL,
    application uuid        NOT NULL,
    mode        text        NOT NULL,
    staff       uuid,
    endpoint    text        NOT NULL,
    patient     uuid,
    status      int         NOT NULL,
    code        text        NOT NULL,
    reason      text        NOT NULL,
    act         text,
    token_hash  bytea       NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX access_record_tenant ON access_record (tenant, request_id);
CREATE INDEX access_record_patient ON access_record (patient, request_id) WHERE patient IS NOT NULL;
CREATE INDEX access_record_at ON access_record USING brin (at);

CREATE TRIGGER access_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_record
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT ON access_record TO frontdesk_app;

-- Each call looks up its application. Postgres reads a table of few pages from end to
-- end instead of using its index, which takes longer with every application. Spread over
-- more pages, the table is looked up by its index.
ALTER TABLE applications SET (fillfactor = 10);

-- +goose Down
ALTER TABLE applications RESET (fillfactor);
DROP TABLE access_record;
