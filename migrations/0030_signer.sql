-- +goose Up

-- The signer hands out a checkpoint (D77). Its role may do this and no more: the function
-- believes what it is given only as far as it fits what is there, and keeps the newest of
-- each day. It returns why a checkpoint is not taken, and NULL if it is there. No signature
-- is checked here: whoever is shown a checkpoint does that.
-- +goose StatementBegin
CREATE FUNCTION publish_checkpoint(of_tenant text, of_kind int, of_epoch int, of_size bigint, of_note text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts  text[];
    newest record;
    today  date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    parts := regexp_match(of_note, '^([^\n]+/log/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,10})\n([0-9]{1,18})\n[A-Za-z0-9+/]{43}=\n)\n(?:— [^ +\n]+ [A-Za-z0-9+/]+=*\n)+$');
    IF num_nulls(of_tenant, of_kind, of_epoch, of_size, of_note) > 0 OR of_kind NOT IN (1, 2)
        OR length(of_note) > 16384 OR parts IS NULL OR parts[3] <> of_epoch::text OR parts[4] <> of_size::text OR of_size < 1 OR of_epoch < 1 THEN
        RAISE EXCEPTION 'this is no checkpoint of a log' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF of_tenant !~ '^([a-z0-9][a-z0-9-]{0,62})?$' THEN
        RETURN 'there are leaves of somebody whose name no practice can have: find out who has written them';
    ELSIF of_epoch > (SELECT epoch FROM public.sequencer)
        OR of_kind = 1 AND of_size > (SELECT head FROM public.sequencer) OR of_kind = 2 AND of_size > (SELECT idx FROM public.access_head)
        OR of_tenant <> '' AND NOT EXISTS (SELECT FROM public.events WHERE tenant = of_tenant) THEN
        RETURN 'the log has not come so far';
    END IF;
    SELECT c.epoch, c.day, c.size, c.note, split_part(c.note, E'\n\n', 1) || E'\n' AS text INTO newest
    FROM public.checkpoints c WHERE c.tenant = of_tenant AND c.kind = of_kind ORDER BY c.epoch DESC, c.day DESC LIMIT 1;
    IF FOUND THEN
        IF substring(newest.note FROM '/log/([0-9a-f-]{36})/') <> parts[2] THEN
            RETURN 'another log has been signed here: another signer is at work';
        ELSIF newest.epoch = of_epoch AND newest.size = of_size AND newest.text <> parts[1] THEN
            RETURN 'another checkpoint of this size has been signed';
        ELSIF (newest.epoch, newest.size) > (of_epoch, of_size) THEN
            RETURN 'a newer checkpoint is there: another signer is at work, or somebody has put one there that nobody has signed';
        ELSIF (newest.epoch, newest.size) = (of_epoch, of_size) AND length(newest.note) >= length(of_note) THEN
            RETURN NULL;
        ELSIF newest.epoch = of_epoch THEN
            today := greatest(today, newest.day); -- the newest is that of the last day, also after a clock was set back
        END IF;
    END IF;
    PERFORM public.commit_safely();
    INSERT INTO public.checkpoints AS c (tenant, kind, epoch, day, size, note, signed_at)
    VALUES (of_tenant, of_kind, of_epoch, today, of_size, of_note, clock_timestamp())
    ON CONFLICT (tenant, kind, epoch, day) DO UPDATE SET size = excluded.size, note = excluded.note, signed_at = excluded.signed_at
    WHERE (c.size, length(c.note)) < (excluded.size, length(excluded.note)); -- another may have been faster
    RETURN NULL;
END $$;

-- Begins an epoch that an operator declares, because a restore left no trace that the
-- sequencer could see. The event is there, and this transaction holds the sequencer's row.
-- Unlike begin_epoch, nothing is concluded about transactions: this is the cluster that
-- they are in.
CREATE FUNCTION declare_epoch(epochs uuid, n int, most int) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here  record;
    event record;
    done  record;
BEGIN
    SELECT * INTO here FROM public.history FOR UPDATE;
    IF NOT here.goes_on THEN
        RAISE EXCEPTION 'the service begins this epoch by itself: start it' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    SELECT position, (data::json->>'epoch')::int AS epoch INTO event
    FROM public.events CROSS JOIN public.sequencer
    WHERE tenant = '' AND stream = epochs AND version = n AND name = 'log.epoch-begun.v1' AND position > reached
        AND (data::json->>'lastKnown')::bigint = here.head AND (data::json->>'epoch')::int > here.epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such event begins an epoch' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO public.log (idx, position) VALUES (here.head + 1, event.position);
    UPDATE public.sequencer SET epoch = event.epoch, head = head + 1, reached = event.position,
        gaps = gaps + int8multirange(int8range(reached, event.position, '()'));
    LOOP SELECT * INTO done FROM public.sequence_events(most, false); EXIT WHEN NOT done.more; END LOOP;
    UPDATE public.sequencer SET untold = head;
    RETURN done.now_head;
END $$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION publish_checkpoint(text, int, int, bigint, text), declare_epoch(uuid, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION publish_checkpoint(text, int, int, bigint, text) TO frontdesk_audit;
GRANT SELECT ON history, sealing, sequencer, events, log TO frontdesk_audit;

-- +goose Down
DROP FUNCTION declare_epoch(uuid, int, int), publish_checkpoint(text, int, int, bigint, text);
