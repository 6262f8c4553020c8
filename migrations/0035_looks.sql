-- +goose Up

-- Pages that have shown patients to staff are lines of the access record, in the mode page
-- (D91). Whom they have shown stands in act, so that a line's leaf has the form that it has
-- always had, and a process of the release before makes the same trees. They are found by
-- this index. Partitions that cannot be looked through in a moment get theirs from
-- frontdesk retain, while calls go on.
CREATE INDEX access_record_looks ON ONLY access_record USING gin ((act::jsonb -> 'patients') jsonb_path_ops) WHERE mode = 'page';

-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'access_record'::regclass AND pg_relation_size(inhrelid) <= 8 << 20 LOOP
        EXECUTE format('CREATE INDEX %I ON %s USING gin ((act::jsonb -> ''patients'') jsonb_path_ops) WHERE mode = ''page''', part || '_looks', part);
        EXECUTE format('ALTER INDEX access_record_looks ATTACH PARTITION %I', part || '_looks');
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX access_record_looks;
