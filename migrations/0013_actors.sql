-- +goose Up

-- What the log says of the hash of the password that counts: its SHA-256. NULL for a
-- password that was set before the log said so.
ALTER TABLE staff ADD COLUMN password_digest bytea;

-- Who reads is the session user, whom the database has let in. who is what the reader's
-- machine says of them ("alice@desk7"), and stands beside it as what it is: a claim.
-- Older programs call the function in the same way.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_audit_query(
    event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    machine text := left(regexp_replace(who, '[[:cntrl:]()]', '?', 'g'), 128);
BEGIN
    IF of_tenant !~ '^([a-z0-9][a-z0-9-]{0,62})?$' OR length(what) > 64 OR length(by_filter) > 4096
        OR num_nulls(event_id, of_tenant, who, what, by_filter, personal, shown) > 0 THEN
        RAISE EXCEPTION 'this is no reading of the log' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM public.commit_durably(); -- as the owner, because the auditors' role may not
    INSERT INTO public.events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
    VALUES (event_id, of_tenant, gen_random_uuid(), 1, -- a stream of its own: nobody waits for another's, and nobody names it
        'audit.queried.v1', of_patient,
        json_strip_nulls(json_build_object('command', what, 'filter', by_filter, 'patient', of_patient,
            'personal', personal, 'count', shown))::text,
        json_build_object('actor', json_build_object('kind', 'operator', 'id', session_user, 'machine', machine))::text,
        clock_timestamp());
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE replace(replace(replace(pg_get_functiondef('record_audit_query'::regproc),
        $t$'id', session_user, 'machine', machine$t$, $t$'id', who || '@' || session_user$t$),
        $t$    machine text := left(regexp_replace(who, '[[:cntrl:]()]', '?', 'g'), 128);$t$ || E'\n', ''),
        $t$OR length(what) > 64$t$, $t$OR length(who) > 128 OR length(what) > 64$t$);
END $$;
-- +goose StatementEnd
ALTER TABLE staff DROP COLUMN password_digest;
