-- +goose Up

-- An auditor who reads patient data leaves an event. Their role may append this event
-- and no other: its name, its time, its stream and the role are decided here.
-- +goose StatementBegin
CREATE FUNCTION record_audit_query(
    event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    queries uuid := md5('audit/' || of_tenant)::uuid; -- the stream: one for each practice, one for all of them
BEGIN
    IF of_tenant !~ '^([a-z0-9][a-z0-9-]{0,62})?$' OR length(who) > 128 OR length(what) > 64 OR length(by_filter) > 4096
        OR num_nulls(event_id, of_tenant, who, what, by_filter, personal, shown) > 0 THEN
        RAISE EXCEPTION 'this is no reading of the log' USING ERRCODE = 'invalid_parameter_value';
    END IF;
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

REVOKE ALL ON FUNCTION record_audit_query(uuid, text, text, text, text, uuid, boolean, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_audit_query(uuid, text, text, text, text, uuid, boolean, bigint)
    TO frontdesk_audit, frontdesk_app;
REVOKE ALL ON FUNCTION refuse_change() FROM PUBLIC; -- triggers need no such right

-- +goose Down
DROP FUNCTION record_audit_query(uuid, text, text, text, text, uuid, boolean, bigint);
GRANT EXECUTE ON FUNCTION refuse_change() TO PUBLIC;
