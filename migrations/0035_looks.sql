-- +goose Up

-- Pages that have shown patients to staff are lines of the access record, in the mode page
-- (D91). Whom they have shown stands in act, so that a line's leaf has the form that it has
-- always had, and a process of the release before makes the same trees. They are found by
-- the first index; the second finds a practice's refused calls, of which there are few.
-- Partitions that cannot be looked through in a moment get theirs from frontdesk retain,
-- while calls go on.
CREATE INDEX access_record_looks ON ONLY access_record USING gin ((act::jsonb -> 'patients') jsonb_path_ops) WHERE mode = 'page';
CREATE INDEX access_record_refused ON ONLY access_record USING btree (tenant, request_id) WHERE status >= 400 AND status < 500;

-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'access_record'::regclass AND pg_relation_size(inhrelid) <= 8 << 20 LOOP
        EXECUTE format('CREATE INDEX %I ON %s USING gin ((act::jsonb -> ''patients'') jsonb_path_ops) WHERE mode = ''page''', part || '_looks', part);
        EXECUTE format('ALTER INDEX access_record_looks ATTACH PARTITION %I', part || '_looks');
        EXECUTE format('CREATE INDEX %I ON %s USING btree (tenant, request_id) WHERE status >= 400 AND status < 500', part || '_refused', part);
        EXECUTE format('ALTER INDEX access_record_refused ATTACH PARTITION %I', part || '_refused');
    END LOOP;
END $$;
-- +goose StatementEnd

-- Whose erasure somebody has asked for, so that somebody else finds it (D90).
CREATE TABLE erasure_requests (
    tenant   text        NOT NULL,
    patient  uuid        NOT NULL,
    erasure  uuid        NOT NULL,
    asked_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, patient)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON erasure_requests TO frontdesk_app;

-- +goose Down
DROP TABLE erasure_requests;
DROP INDEX access_record_looks, access_record_refused;
