-- +goose Up

-- The access record as a log (D80): each line has a number, dense and in the order in which
-- lines are committed. A line gets it in the transaction that writes it.
CREATE TABLE access_log (
    idx        bigint NOT NULL PRIMARY KEY,
    request_id uuid   NOT NULL UNIQUE,
    tree       text   NOT NULL, -- the practice whose tree the line is in: '' if there was none of that name
    leaf       bytea            -- its hash, if the line is in an archive; NULL if it is in access_record
);

CREATE INDEX access_log_tree ON access_log (tree, idx);

-- Whoever numbers lines holds this row until the commit.
CREATE TABLE access_head (
    idx      bigint NOT NULL DEFAULT 0, -- the highest number
    before   uuid,                      -- lines of before this migration have theirs up to here; NULL: all have
    archived bigint NOT NULL DEFAULT 0  -- up to here, all lines are in archives
) WITH (fillfactor = 10);
CREATE UNIQUE INDEX access_head_one ON access_head ((true));

-- Lines that were written while another transaction held the head. number_calls gives them
-- their numbers.
CREATE TABLE access_waiting (request_id uuid NOT NULL PRIMARY KEY);

-- The trees of the access record as they were at access_head.archived.
CREATE TABLE archived_trees (
    tenant text   NOT NULL PRIMARY KEY,
    size   bigint NOT NULL,
    edge   bytea  NOT NULL -- a root for each bit of size, the largest subtree's first
);

-- Nothing leaves the access record before its file is written. So retain of the release before,
-- which did that afterwards, takes nothing out any more.
ALTER TABLE archives ADD CONSTRAINT archives_written CHECK (record <> 'access_record' OR sha256 IS NOT NULL) NOT VALID;

-- +goose StatementBegin

-- Gives each new line its number. A writer waits for no other: if somebody else is numbering,
-- or lines of before have no numbers yet, its lines wait for theirs. What has a number may be
-- signed, so its commit waits for the disk, and for the standbys that the primary waits for.
CREATE FUNCTION number_new_calls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last  bigint;
    lines bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM line) THEN
        RETURN NULL;
    END IF;
    PERFORM public.commit_safely();
    SELECT idx INTO last FROM public.access_head WHERE before IS NULL FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        INSERT INTO public.access_waiting SELECT request_id FROM line;
        RETURN NULL;
    END IF;
    INSERT INTO public.access_log (idx, request_id, tree)
    SELECT last + row_number() OVER (ORDER BY request_id), request_id, coalesce(p.tenant, '') FROM line LEFT JOIN public.practices p USING (tenant);
    GET DIAGNOSTICS lines = ROW_COUNT;
    UPDATE public.access_head SET idx = last + lines;
    RETURN NULL;
END $$;

CREATE TRIGGER access_record_number AFTER INSERT ON access_record
    REFERENCING NEW TABLE AS line FOR EACH STATEMENT EXECUTE FUNCTION number_new_calls();
-- From here on no line comes without its trigger, so what is there now is of before.
INSERT INTO access_head (before) VALUES (CASE WHEN EXISTS (SELECT FROM access_record) THEN '00000000-0000-0000-0000-000000000000'::uuid END);

-- Gives numbers to lines that have none: those of before first, so that they come first, and
-- then those that wait. It returns how many it has numbered: 0 if none is left, or if somebody else
-- is numbering. It finds lines by the index, whatever the statistics say of the tables.
CREATE FUNCTION number_calls(most int) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    head public.access_head;
    ids  uuid[];
BEGIN
    most := greatest(most, 1); -- also of NULL: none at once would look like none that are left
    SELECT * INTO head FROM public.access_head FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    IF head.before IS NOT NULL THEN
        SELECT array_agg(request_id) INTO ids FROM (
            SELECT request_id FROM public.access_record r
            WHERE request_id > head.before AND NOT EXISTS (SELECT FROM public.access_waiting w WHERE w.request_id = r.request_id)
            ORDER BY request_id LIMIT most) old;
        UPDATE public.access_head SET before = CASE WHEN cardinality(ids) = most THEN ids[most] END;
    END IF;
    IF ids IS NULL THEN
        WITH found AS (
            DELETE FROM public.access_waiting WHERE request_id IN (SELECT request_id FROM public.access_waiting ORDER BY request_id LIMIT most) RETURNING request_id)
        SELECT array_agg(request_id) INTO ids FROM found;
    END IF;
    IF ids IS NULL THEN
        RETURN 0;
    END IF;
    PERFORM public.commit_safely();
    INSERT INTO public.access_log (idx, request_id, tree)
    SELECT head.idx + row_number() OVER (ORDER BY request_id), request_id, coalesce(p.tenant, '')
    FROM public.access_record LEFT JOIN public.practices p USING (tenant) WHERE request_id = ANY (ids);
    UPDATE public.access_head SET idx = idx + cardinality(ids);
    RETURN cardinality(ids);
END $$;

-- As before, and nothing is moved into boxes any more when there are trees: they hold what
-- is stored.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME IN ('events', 'access_record') AND current_setting('frontdesk.sealing', true) = 'on' THEN
        IF EXISTS (SELECT FROM public.sealing WHERE closed_at IS NOT NULL AND finished_at IS NULL) AND NOT EXISTS (SELECT FROM public.trees) THEN
            RETURN NULL;
        END IF;
    END IF;
    RAISE EXCEPTION 'table % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

-- Who may not execute a function makes no trigger of it, either.
REVOKE ALL ON FUNCTION number_new_calls(), number_calls(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION number_calls(int) TO frontdesk_app;
GRANT SELECT ON access_log, access_head, access_waiting, archived_trees TO frontdesk_app, frontdesk_audit;

-- +goose Down
DROP TRIGGER access_record_number ON access_record;
DROP FUNCTION number_new_calls(), number_calls(int);
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
-- +goose StatementEnd
ALTER TABLE archives DROP CONSTRAINT archives_written;
DROP TABLE archived_trees, access_waiting, access_head, access_log;
