-- +goose Up

-- The sequencer's row names the history that the log is in. A promoted standby has
-- another timeline, and a restored copy another cluster or another table: then the
-- log may have lost its end, and a new epoch begins.
ALTER TABLE sequencer
    ADD COLUMN epoch    int    NOT NULL DEFAULT 1,
    ADD COLUMN system   bigint NOT NULL DEFAULT 0,
    ADD COLUMN relation oid    NOT NULL DEFAULT 0,
    ADD COLUMN timeline int    NOT NULL DEFAULT 0,
    ADD COLUMN untold   bigint NOT NULL DEFAULT 0; -- nothing up to this idx is told any more

-- The history that the row names, beside the one that the database is in. A standby
-- cannot be asked.
CREATE VIEW history AS
SELECT epoch, head, untold, system, relation, timeline, now_system, now_relation, now_timeline,
    (system, relation, timeline) = (now_system, now_relation, now_timeline) AS goes_on
FROM (SELECT *, (pg_control_system()).system_identifier AS now_system, tableoid AS now_relation,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS now_timeline
    FROM sequencer) here;

-- A log that has no epochs yet is where it belongs.
UPDATE sequencer SET system = now_system, relation = now_relation, timeline = now_timeline FROM history;

GRANT SELECT, UPDATE ON history TO frontdesk_app; -- UPDATE, so that the row can be locked through it

-- What must not be lost waits for the disk, and for the standbys that the primary
-- waits for, whatever the role or the database have been set to.
-- +goose StatementBegin
CREATE FUNCTION commit_durably() RETURNS text LANGUAGE sql AS $$
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
$$;
-- +goose StatementEnd

-- How many standbys hold each commit before it is answered; NULL if the owner may not
-- know. It runs as the owner, so that the serving role need not see every session.
-- +goose StatementBegin
CREATE FUNCTION synchronous_standbys() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN
        (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) END
$$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION commit_durably(), synchronous_standbys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION commit_durably(), synchronous_standbys() TO frontdesk_app;

-- What an auditor has read is shown when the event that says so will last.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_audit_query(
    event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    queries uuid := md5('audit/' || of_tenant)::uuid; -- the stream: one for each practice, one for all of them
BEGIN
    IF of_tenant !~ '^([a-z0-9][a-z0-9-]{0,62})?$' OR length(who) > 128 OR length(what) > 64 OR length(by_filter) > 4096
        OR num_nulls(event_id, of_tenant, who, what, by_filter, personal, shown) > 0 THEN
        RAISE EXCEPTION 'this is no reading of the log' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM commit_durably(); -- as the owner, because the auditors' role may not
    FOR attempt IN 1..100 LOOP
        BEGIN
            INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
            VALUES (event_id, of_tenant, queries,
                coalesce((SELECT max(version) FROM events WHERE stream = queries), 0) + 1,
                'audit.queried.v1', of_patient,
                json_strip_nulls(json_build_object('command', what, 'filter', by_filter, 'patient', of_patient,
                    'personal', personal, 'count', shown))::text,
                json_build_object('actor', json_build_object('kind', 'operator', 'id', who || '@' || session_user))::text,
                clock_timestamp());
            RETURN;
        EXCEPTION WHEN unique_violation THEN NULL; -- another auditor was faster
        END;
    END LOOP;
    RAISE EXCEPTION 'too many auditors at once' USING ERRCODE = 'serialization_failure';
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('record_audit_query'::regproc), '\s*PERFORM commit_durably[^\n]*', '');
END $$;
-- +goose StatementEnd
DROP FUNCTION commit_durably(), synchronous_standbys();
DROP VIEW history;
ALTER TABLE sequencer DROP COLUMN epoch, DROP COLUMN system, DROP COLUMN relation, DROP COLUMN timeline, DROP COLUMN untold;
