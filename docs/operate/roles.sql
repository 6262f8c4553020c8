-- The roles of frontdesk. A superuser of Postgres makes them, once for a cluster:
--
--     frontdesk roles | psql
--
-- They log in, have no password and own nothing: set passwords, or name them in pg_hba.conf.
-- The owner of the database is a role of your own, without other rights. A second run changes
-- nothing.
DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['frontdesk_app', 'frontdesk_audit', 'frontdesk_signer'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I LOGIN', made);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- it exists, or another session makes it
        END;
    END LOOP;
    -- The signer reads what auditors read, and publishes checkpoints, which they may not.
    IF NOT pg_has_role('frontdesk_signer', 'frontdesk_audit', 'MEMBER') THEN
        BEGIN
            GRANT frontdesk_audit TO frontdesk_signer;
        EXCEPTION WHEN unique_violation THEN NULL;
        END;
    END IF;
END $$;
