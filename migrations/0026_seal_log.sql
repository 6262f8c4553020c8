-- +goose Up

-- How far frontdesk seal-log has come with what was written in clear.
ALTER TABLE sealing
    ADD COLUMN closed_at   timestamptz,               -- since then nothing is written in clear
    ADD COLUMN reached     bigint NOT NULL DEFAULT 0, -- the position up to which events are sealed
    ADD COLUMN moved       bigint NOT NULL DEFAULT 0, -- so many events were in clear
    ADD COLUMN finished_at timestamptz;
UPDATE sealing SET closed_at = since, finished_at = since;

-- What must not be lost waits for the disk, and for the standbys that the primary waits for.
-- +goose StatementBegin
CREATE FUNCTION commit_safely() RETURNS text LANGUAGE sql AS $$
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
$$;
-- +goose StatementEnd

-- Refuses to write in clear once nobody may. The lock is kept until the commit, and whoever
-- closes the log to what is in clear takes one against it: so whatever is written in clear
-- is either committed by then or refused.
-- +goose StatementBegin
CREATE FUNCTION write_in_clear() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    LOCK TABLE public.sealing IN ROW SHARE MODE;
    IF EXISTS (SELECT FROM public.sealing WHERE closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'personal data is sealed here: restart this process, which would write it in clear' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
END $$;
-- +goose StatementEnd

-- This is what the release before calls in each append, and this release as long as it
-- writes in clear. The owner's functions call it, too, and write nothing personal.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION commit_durably() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'public.sealing'::regclass) THEN
        PERFORM public.write_in_clear();
    END IF;
    RETURN public.commit_safely();
END $$;
-- +goose StatementEnd

-- What happened never changes but for this: what is personal in it is moved into boxes, by
-- seal_events and seal_calls, as long as that is not finished.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME IN ('events', 'access_record') AND current_setting('frontdesk.sealing', true) = 'on' THEN
        IF EXISTS (SELECT FROM public.sealing WHERE closed_at IS NOT NULL AND finished_at IS NULL) THEN
            RETURN NULL;
        END IF;
    END IF;
    RAISE EXCEPTION 'table % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;

-- Puts what is personal in events into boxes. It changes nothing that was sealed. It finds
-- them by the index, whatever the statistics say of the tables.
CREATE FUNCTION seal_events(positions bigint[], hidden_data text[], hidden_metadata text[], boxes bytea[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    done bigint;
BEGIN
    PERFORM set_config('frontdesk.sealing', 'on', true);
    UPDATE public.events e SET data = n.data, metadata = n.metadata, sealed = n.box
    FROM unnest(positions, hidden_data, hidden_metadata, boxes) AS n (position, data, metadata, box)
    WHERE e.position = n.position AND e.sealed IS NULL AND n.box IS NOT NULL;
    GET DIAGNOSTICS done = ROW_COUNT;
    PERFORM set_config('frontdesk.sealing', 'off', true);
    RETURN done;
END $$;

-- The same for whom recorded calls were made for. Of who was erased there is no box.
CREATE FUNCTION seal_calls(ids uuid[], hidden_acts text[], boxes bytea[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    PERFORM set_config('frontdesk.sealing', 'on', true);
    UPDATE public.access_record r SET act = n.act, sealed = n.box
    FROM unnest(ids, hidden_acts, boxes) AS n (id, act, box) WHERE r.request_id = n.id AND r.sealed IS NULL;
    PERFORM set_config('frontdesk.sealing', 'off', true);
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION commit_safely(), write_in_clear(), seal_events(bigint[], text[], text[], bytea[]), seal_calls(uuid[], text[], bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION commit_safely(), write_in_clear() TO frontdesk_app;

-- +goose Down
DROP FUNCTION seal_events(bigint[], text[], text[], bytea[]), seal_calls(uuid[], text[], bytea[]);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE FUNCTION commit_durably() RETURNS text LANGUAGE sql AS $$
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
$$;
-- +goose StatementEnd
DROP FUNCTION write_in_clear(), commit_safely();
ALTER TABLE sealing DROP COLUMN closed_at, DROP COLUMN reached, DROP COLUMN moved, DROP COLUMN finished_at;
