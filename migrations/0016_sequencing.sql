-- +goose Up

-- The last migration of its release: processes of the one before put nothing into the log
-- any more, and new ones start when everything is migrated.

-- Gaps are ranges from now on: a jump of ten million positions is one of them.
ALTER TABLE sequencer ADD COLUMN ranges int8multirange NOT NULL DEFAULT '{}';
UPDATE sequencer SET ranges = coalesce((SELECT range_agg(int8range(g, g, '[]')) FROM unnest(gaps) AS g), '{}');

CREATE OR REPLACE VIEW history AS -- as before, without the columns that go
SELECT epoch, head, untold, system, relation, timeline, now_system, now_relation, now_timeline,
    (system, relation, timeline) = (now_system, now_relation, now_timeline) AS goes_on
FROM (SELECT epoch, head, untold, system, relation, timeline, (pg_control_system()).system_identifier AS now_system, tableoid AS now_relation,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS now_timeline FROM sequencer) here;

-- docs/architecture.md, "How a gap is closed", says what these are for.
ALTER TABLE sequencer DROP COLUMN gaps, DROP COLUMN watched, DROP COLUMN writers, DROP COLUMN condemned;
ALTER TABLE sequencer RENAME ranges TO gaps; -- open positions below reached that each batch looks through
ALTER TABLE sequencer
    ADD COLUMN writers text[]   NOT NULL DEFAULT '{}', -- who was writing at the last look
    ADD COLUMN watched bigint   NOT NULL DEFAULT 0,    -- reached at that look: up to here, gaps wait for these writers
    ADD COLUMN settled bigint   NOT NULL DEFAULT 0,    -- up to here they wait for nobody but the late
    ADD COLUMN late    xid8[]   NOT NULL DEFAULT '{}', -- transactions that were writing at two looks
    ADD COLUMN above   bigint[] NOT NULL DEFAULT '{}'; -- for each of them: it can only fill what is above here

-- Gaps that nobody but the late can fill: looked through when one of those has ended.
CREATE TABLE old_gaps (first bigint NOT NULL, last bigint NOT NULL, PRIMARY KEY (first, last));

-- The gaps in which there may be an event that is not in the log.
CREATE VIEW open_gaps AS
SELECT lower(g) AS first, upper(g) - 1 AS last FROM sequencer CROSS JOIN LATERAL unnest(gaps) AS g
UNION ALL
SELECT first, last FROM old_gaps WHERE first > (
    SELECT min(l.above) FROM sequencer CROSS JOIN LATERAL unnest(late, above) AS l (xid, above)
    WHERE pg_visible_in_snapshot(l.xid, pg_current_snapshot()));

-- What is wrong with the sequence that positions are drawn from; NULL if nothing is. An
-- event whose position the sequencer has passed already would never get into the log.
CREATE VIEW sequence_fault AS
SELECT nullif(concat_ws(' and ',
    CASE WHEN last_value - (NOT is_called)::int < reached THEN 'is behind the log' END,
    CASE WHEN seqcache <> 1 THEN 'is cached' END,
    CASE WHEN seqincrement <> 1 THEN 'does not count by one' END,
    CASE WHEN seqcycle THEN 'begins again at its end' END), '') AS fault
FROM sequencer CROSS JOIN events_position_seq CROSS JOIN pg_sequence WHERE seqrelid = 'events_position_seq'::regclass;

-- +goose StatementBegin
-- To be run by the owner, when the sequence has a fault. Appends wait meanwhile. It mends
-- the sequence, and opens the positions of events that were passed over: the sequencer
-- then finds them, and places them at the end of the log. It returns how many they are.
CREATE FUNCTION mend_sequence() RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    next  bigint;
    found bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a sequence is mended under READ COMMITTED alone: SET default_transaction_isolation = ''read committed''';
    END IF;
    PERFORM FROM public.sequencer FOR UPDATE;
    LOCK TABLE public.events IN SHARE MODE;
    SELECT greatest(last_value, reached, (SELECT max(position) FROM public.events)) + 1 INTO next FROM public.events_position_seq CROSS JOIN public.sequencer;
    EXECUTE format('ALTER SEQUENCE public.events_position_seq INCREMENT BY 1 CACHE 1 NO CYCLE RESTART WITH %s', next); -- also in sessions that have cached some
    WITH absent AS MATERIALIZED (
        SELECT position FROM public.events e WHERE position <= (SELECT reached FROM public.sequencer) AND NOT EXISTS (SELECT FROM public.log l WHERE l.position = e.position)),
    passed AS (
        SELECT count(*) AS n, coalesce(range_agg(int8range(position, position, '[]')), '{}') AS gaps
        FROM absent WHERE NOT EXISTS (SELECT FROM public.old_gaps WHERE position BETWEEN first AND last))
    UPDATE public.sequencer s SET gaps = s.gaps + p.gaps FROM passed p RETURNING n INTO found;
    RETURN found;
END $$;

-- The first of two steps that sequence_events alone calls, with the lock on the row. A gap
-- can still be filled by whoever held the lock that INSERT takes on events when the gap
-- was noted, and holds it now. If all of those are known by their transaction ids, it
-- waits for them alone. A prepared transaction may have got another name meanwhile.
CREATE FUNCTION note_writers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH locks AS MATERIALIZED (SELECT * FROM pg_locks WHERE granted),
    running AS (
        SELECT virtualtransaction, xid FROM locks JOIN pg_snapshot_xip(pg_current_snapshot()) AS xid ON transactionid = xid::xid
        WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock'),
    now AS (
        SELECT virtualtransaction AS writer, xid, pid IS NULL OR virtualtransaction = ANY ((SELECT writers FROM public.sequencer)::text[]) AS stays
        FROM locks LEFT JOIN running USING (virtualtransaction)
        WHERE relation = 'public.events'::regclass AND mode = 'RowExclusiveLock'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
    later AS (
        SELECT coalesce(array_agg(xid), '{}') AS xids FROM now CROSS JOIN public.sequencer
        WHERE stays AND xid <> ALL (late) AND lower(gaps) <= watched)
    UPDATE public.sequencer SET
        late = late || xids, above = above || array_fill(lower(gaps) - 1, ARRAY[cardinality(xids)]),
        settled = watched, watched = reached,
        writers = coalesce((SELECT array_agg(writer) FROM now), '{}')
    FROM later WHERE NOT EXISTS (SELECT FROM now WHERE stays AND xid IS NULL);
END $$;

-- Places what the late have left in old gaps, so many gaps at a time. A gap that nobody
-- is left for is closed. Until all are looked through, nothing else is placed.
CREATE FUNCTION place_old_events(most int, OUT now_epoch int, OUT now_head bigint, OUT more boolean, OUT open boolean, OUT crowded boolean)
LANGUAGE plpgsql AS $$
DECLARE
    at_a_time CONSTANT int := 2000;
    fault     text;
BEGIN
    SELECT f.fault INTO fault FROM public.sequence_fault f;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION 'the sequence of positions %: as the owner, SELECT mend_sequence()', fault;
    END IF;
    WITH l AS MATERIALIZED (
        SELECT l.*, pg_visible_in_snapshot(xid, pg_current_snapshot()) AND xid IS DISTINCT FROM pg_current_xact_id_if_assigned() AS ended
        FROM public.sequencer CROSS JOIN LATERAL unnest(late, above) AS l (xid, above)),
    chunk AS MATERIALIZED (
        SELECT first, last, ctid AS place FROM public.old_gaps WHERE first > (SELECT min(above) FROM l WHERE ended) ORDER BY first LIMIT at_a_time),
    found AS MATERIALIZED (
        SELECT position FROM chunk CROSS JOIN LATERAL (
            SELECT position FROM public.events WHERE position BETWEEN first AND last ORDER BY position LIMIT most) e
        ORDER BY position LIMIT most),
    logged AS (
        INSERT INTO public.log (idx, position)
        SELECT head + row_number() OVER (ORDER BY position), position FROM found CROSS JOIN public.sequencer),
    now AS MATERIALIZED (
        SELECT *, int8multirange(int8range(NULL, CASE WHEN n < most THEN furthest ELSE last_found END, '(]')) AS done, n < most AND size < at_a_time AS finished
        FROM (SELECT count(*) AS n, max(position) AS last_found, coalesce(range_agg(int8range(position, position, '[]')), '{}') AS filled FROM found) f
        CROSS JOIN (SELECT count(*) AS size, coalesce(max(last), 0) AS furthest, coalesce(range_agg(int8range(first, last, '[]')), '{}') AS gaps FROM chunk) c),
    kept AS MATERIALIZED (
        SELECT lower(r) AS first, upper(r) - 1 AS last FROM now CROSS JOIN LATERAL unnest(
            (gaps - done) + (gaps - filled) * coalesce((SELECT int8multirange(int8range(min(above), NULL, '()')) FROM l WHERE NOT ended HAVING count(*) > 0), '{}')) AS r),
    closed AS (
        DELETE FROM public.old_gaps WHERE ctid = ANY (ARRAY (SELECT place FROM chunk WHERE (first, last) NOT IN (SELECT first, last FROM kept)))),
    split AS (
        INSERT INTO public.old_gaps (first, last) SELECT first, last FROM kept EXCEPT SELECT first, last FROM chunk)
    UPDATE public.sequencer SET head = head + n, (late, above) = (
        SELECT coalesce(array_agg(xid), '{}'), coalesce(array_agg(CASE WHEN ended THEN greatest(above, upper(done) - 1) ELSE above END), '{}')
        FROM l WHERE NOT (ended AND finished))
    FROM now RETURNING epoch, head, true, true, false INTO now_epoch, now_head, more, open, crowded;
END $$;

-- The one way in which the sequencer's row moves and the log grows (D52). Nothing that a
-- caller says decides where an event comes. The lock elects one caller; astray is NULL
-- for the others. Each statement has a snapshot of its own, later than the last
-- sequencer's commit. Their plans are kept, because to make them takes longer than to
-- run them, and must use indexes, because they may be made while the tables are empty.
--
-- The lowest positions come first. Nothing is placed once one of the late has ended,
-- because its events come first. A caller that is late itself, and may be in the middle of
-- an INSERT, has not ended, although a snapshot shows a transaction what it has written.
-- What is settled is no gap any more when nothing was found in it, or is old as long as
-- there are late ones.
CREATE FUNCTION sequence_events(most int, look boolean,
    OUT astray boolean, OUT now_epoch int, OUT now_head bigint, OUT more boolean, OUT open boolean, OUT crowded boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    aged int8multirange;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'events are sequenced under READ COMMITTED alone: SET TRANSACTION ISOLATION LEVEL READ COMMITTED';
    END IF;
    IF coalesce(most < 1, true) THEN -- a gap is closed when nothing is found in it
        RAISE EXCEPTION 'ask for one event or more' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM public.commit_durably(), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
        set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
    SELECT NOT goes_on INTO astray FROM public.history FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR astray THEN
        RETURN;
    END IF;
    IF look THEN
        PERFORM public.note_writers();
    END IF;
    WITH s AS MATERIALIZED (
        SELECT epoch, head, reached, gaps, watched, settled, late FROM public.sequencer
        WHERE (SELECT fault IS NULL FROM public.sequence_fault)
            AND NOT EXISTS (SELECT FROM unnest(late) AS xid
                WHERE pg_visible_in_snapshot(xid, pg_current_snapshot()) AND xid IS DISTINCT FROM pg_current_xact_id_if_assigned())),
    found AS MATERIALIZED (
        SELECT position FROM (
            SELECT e.position FROM s CROSS JOIN LATERAL unnest(gaps) AS g CROSS JOIN LATERAL (
                SELECT position FROM public.events WHERE position >= lower(g) AND position < upper(g) ORDER BY position LIMIT most) e
            UNION ALL
            (SELECT position FROM public.events WHERE position > (SELECT reached FROM s) ORDER BY position LIMIT most)) seen
        ORDER BY position LIMIT most),
    logged AS (
        INSERT INTO public.log (idx, position)
        SELECT (SELECT head FROM s) + row_number() OVER (ORDER BY position), position FROM found),
    far AS (
        SELECT s.*, n, greatest(reached, last) AS furthest, int8multirange(int8range(NULL, CASE WHEN n < most THEN settled ELSE least(settled, last) END, '(]')) AS done
        FROM s CROSS JOIN (SELECT count(*) AS n, max(position) AS last FROM found) f),
    now AS MATERIALIZED (
        SELECT *, CASE WHEN gaps = '{}' AND n = furthest - reached THEN gaps ELSE gaps + int8multirange(int8range(reached, furthest, '(]'))
            - (SELECT coalesce(range_agg(int8range(position, position, '[]')), '{}') FROM found) END AS left_open FROM far),
    moved AS (
        UPDATE public.sequencer SET head = now.head + n, reached = furthest, gaps = left_open - done
        FROM now WHERE n > 0 OR now.gaps && done)
    SELECT epoch, head + n, n = most, left_open <> '{}' OR cardinality(late) > 0, left_open <> '{}' AND furthest - watched > most,
        CASE WHEN cardinality(late) > 0 THEN left_open * done ELSE '{}' END
    INTO now_epoch, now_head, more, open, crowded, aged FROM now;
    IF NOT FOUND THEN
        SELECT * INTO now_epoch, now_head, more, open, crowded FROM public.place_old_events(most);
    ELSIF aged <> '{}' THEN
        INSERT INTO public.old_gaps (first, last) SELECT lower(r), upper(r) - 1 FROM unnest(aged) AS r;
    END IF;
END $$;

-- Moves the sequencer's row into the history that the database is in, and returns the
-- head of the log (D49). The event that says so has just been appended: version n of
-- its stream. It is placed at once, in front of all others that are not in the log yet.
-- Their positions are lower, so they are in a gap, and come next. Deliveries for all of
-- that are given up, unless the caller has missed nothing.
CREATE FUNCTION begin_epoch(epochs uuid, n int, most int, complete boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here  record;
    event record;
    done  record;
BEGIN
    SELECT *, CASE WHEN (system, relation) = (now_system, now_relation) THEN 'timeline' ELSE 'restore' END AS cause INTO here FROM public.history FOR UPDATE;
    IF here.goes_on THEN
        RAISE EXCEPTION 'another process has begun the epoch' USING ERRCODE = 'serialization_failure';
    END IF;
    SELECT position, (data::json->>'epoch')::int AS epoch, (data::json->>'missing')::bigint AS missing INTO event
    FROM public.events CROSS JOIN public.sequencer
    WHERE tenant = '' AND stream = epochs AND version = n AND name = 'log.epoch-begun.v1' AND position > reached AND data::json->>'cause' = here.cause
        AND (data::json->>'lastKnown')::bigint = here.head AND (data::json->>'epoch')::int > here.epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such event begins an epoch' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO public.log (idx, position) VALUES (here.head + 1, event.position);
    UPDATE public.sequencer SET epoch = event.epoch, system = here.now_system, relation = here.now_relation, timeline = here.now_timeline,
        head = head + 1, reached = event.position, gaps = gaps + int8multirange(int8range(reached, event.position, '()')),
        late = CASE here.cause WHEN 'restore' THEN array_fill('0'::xid8, ARRAY[cardinality(late)]) ELSE late END; -- a copy has no old transactions
    LOOP SELECT * INTO done FROM public.sequence_events(most, false); EXIT WHEN NOT done.more; END LOOP;
    UPDATE public.sequencer SET untold = head WHERE NOT (complete AND here.cause = 'timeline' AND event.missing IS NOT DISTINCT FROM 0);
    RETURN done.now_head;
END $$;
-- +goose StatementEnd

-- The serving role adds events whose positions are drawn, and calls the functions above.
-- Nobody but the owner makes functions in the same schema, as everybody may in databases
-- from before Postgres 15: Postgres prefers one that takes exactly these types to its own
-- that takes any range. For the same reason the functions above look for nothing in it
-- without its name.
REVOKE CREATE ON SCHEMA public FROM PUBLIC, frontdesk_app, frontdesk_audit;
REVOKE INSERT ON events, log FROM frontdesk_app;
REVOKE UPDATE ON sequencer, history FROM frontdesk_app;
REVOKE ALL ON SEQUENCE events_position_seq FROM frontdesk_app;
GRANT INSERT (id, tenant, stream, version, name, patient, data, metadata, recorded_at) ON events TO frontdesk_app;
GRANT SELECT ON old_gaps, open_gaps, sequence_fault TO frontdesk_app;
REVOKE ALL ON FUNCTION mend_sequence(), note_writers(), place_old_events(int), sequence_events(int, boolean), begin_epoch(uuid, int, int, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sequence_events(int, boolean), begin_epoch(uuid, int, int, boolean) TO frontdesk_app;

-- +goose Down
DROP FUNCTION begin_epoch(uuid, int, int, boolean), sequence_events(int, boolean), place_old_events(int), note_writers(), mend_sequence();
DROP VIEW sequence_fault, open_gaps;
REVOKE INSERT ON events FROM frontdesk_app;
GRANT INSERT ON events, log TO frontdesk_app;
GRANT UPDATE ON sequencer, history TO frontdesk_app;
ALTER TABLE sequencer ADD COLUMN list bigint[] NOT NULL DEFAULT '{}', ADD COLUMN condemned bigint[] NOT NULL DEFAULT '{}';
UPDATE sequencer SET writers = '{}', list = ARRAY (SELECT generate_series(first, last) FROM (
    SELECT lower(g), upper(g) - 1 FROM unnest(gaps) AS g UNION ALL SELECT first, last FROM old_gaps) o (first, last));
DROP TABLE old_gaps;
ALTER TABLE sequencer DROP COLUMN gaps, DROP COLUMN watched, DROP COLUMN settled, DROP COLUMN late, DROP COLUMN above;
ALTER TABLE sequencer RENAME list TO gaps;
ALTER TABLE sequencer ADD COLUMN watched bigint[] NOT NULL DEFAULT '{}';
