-- +goose Up

-- The whole schema. Until 0.1.0 is released it is edited here; later changes are files of
-- their own. The roles are made before, by docs/operate/roles.sql.

-- The schema ----------------------------------------------------------------------------

-- The oldest program that the schema serves, by the version of the schema that it needs. A
-- migration of which an older program knows nothing leaves the value as it is; one that an
-- older program cannot live with raises it (D178).
CREATE TABLE schema_support (oldest_program bigint NOT NULL);
INSERT INTO schema_support VALUES (1);

-- The log of events ---------------------------------------------------------------------

-- A row is written once, inside the transaction of one append, and never changed. data and
-- metadata keep their original bytes, because leaves of trees hash them.
CREATE TABLE events (
    position    bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    id          uuid        NOT NULL,
    tenant      text        NOT NULL,
    stream      uuid        NOT NULL,
    version     int         NOT NULL,
    name        text        NOT NULL,
    patient     uuid,
    data        text        NOT NULL,
    metadata    text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    sealed      bytea,                -- personal values, encrypted: one box for each holder
    -- The optimistic lock: of two writers that saw the same version, one wins. A stream
    -- belongs to one tenant: the same identifier under another tenant is another stream
    -- (D116). One index with all three columns also loads a stream, with or without
    -- statistics.
    CONSTRAINT events_stream_version UNIQUE (stream, tenant, version)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE events ALTER COLUMN sealed SET STORAGE EXTERNAL; -- boxes cannot be compressed

-- With the tenant in it, no plan combines it with an index of all events of a practice.
CREATE INDEX events_patient ON events (patient, tenant, position) WHERE patient IS NOT NULL;
-- A practice's events, for auditors and for explaining a call.
CREATE INDEX events_tenant ON events (tenant, position);
-- When events were recorded. They are nearly in order, so this index is small and cheap.
CREATE INDEX events_recorded ON events USING brin (recorded_at) WITH (pages_per_range = 32, autosummarize = on);

-- The log: idx is dense, final and causal. Everything downstream reads it.
CREATE TABLE log (
    idx      bigint PRIMARY KEY,
    position bigint NOT NULL UNIQUE
);

-- The end of the log. The process that locks the row is the sequencer. Positions are drawn
-- before they are committed, so the sequencer passes some without seeing an event. These are
-- gaps, until the event appears or no writer is left that could write it:
-- docs/explain/architecture.md, "How a gap is closed".
--
-- The row also names the history that the log is in. A promoted standby has another timeline,
-- and a restored copy another cluster or another table: then the log may have lost its end,
-- and a new epoch begins.
CREATE TABLE sequencer (
    head     bigint         NOT NULL DEFAULT 0,    -- the last assigned idx
    reached  bigint         NOT NULL DEFAULT 0,    -- the highest position placed
    epoch    int            NOT NULL DEFAULT 1,
    system   bigint         NOT NULL DEFAULT 0,
    relation oid            NOT NULL DEFAULT 0,
    timeline int            NOT NULL DEFAULT 0,
    untold   bigint         NOT NULL DEFAULT 0,    -- no webhook is sent for events up to this idx
    gaps     int8multirange NOT NULL DEFAULT '{}', -- open positions below reached that each batch looks through
    writers  text[]         NOT NULL DEFAULT '{}', -- the writers at the last look
    watched  bigint         NOT NULL DEFAULT 0,    -- reached at that look: up to here, gaps wait for these writers
    settled  bigint         NOT NULL DEFAULT 0,    -- up to here they wait only for late transactions
    late     xid8[]         NOT NULL DEFAULT '{}', -- transactions that were writing at two looks
    above    bigint[]       NOT NULL DEFAULT '{}'  -- for each of them: it can only fill positions above this
) WITH (fillfactor = 10);
INSERT INTO sequencer DEFAULT VALUES;

-- Gaps that only the late can fill: looked through when one of those has ended.
CREATE TABLE old_gaps (first bigint NOT NULL, last bigint NOT NULL, PRIMARY KEY (first, last));

-- The gaps in which there may be an event that is not in the log.
CREATE VIEW open_gaps AS
SELECT lower(g) AS first, upper(g) - 1 AS last FROM sequencer CROSS JOIN LATERAL unnest(gaps) AS g
UNION ALL
SELECT first, last FROM old_gaps WHERE first > (
    SELECT min(l.above) FROM sequencer CROSS JOIN LATERAL unnest(late, above) AS l (xid, above)
    WHERE pg_visible_in_snapshot(l.xid, pg_current_snapshot()));

-- The history in the sequencer's row, and that of the database. A standby cannot answer.
CREATE VIEW history AS
SELECT epoch, head, untold, system, relation, timeline, now_system, now_relation, now_timeline,
    (system, relation, timeline) = (now_system, now_relation, now_timeline) AS goes_on
FROM (SELECT epoch, head, untold, system, relation, timeline, (pg_control_system()).system_identifier AS now_system, tableoid AS now_relation,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS now_timeline FROM sequencer) here;

-- A log without epochs is in its own history.
UPDATE sequencer SET system = now_system, relation = now_relation, timeline = now_timeline FROM history;

-- The fault of the sequence that positions are drawn from; NULL if it has none. An event whose
-- position the sequencer has passed already would never get into the log.
CREATE VIEW sequence_fault AS
SELECT nullif(concat_ws(' and ',
    CASE WHEN last_value - (NOT is_called)::int < reached THEN 'is behind the log' END,
    CASE WHEN seqcache <> 1 THEN 'is cached' END,
    CASE WHEN seqincrement <> 1 THEN 'does not count by one' END,
    CASE WHEN seqcycle THEN 'begins again at its end' END), '') AS fault
FROM sequencer CROSS JOIN events_position_seq CROSS JOIN pg_sequence WHERE seqrelid = 'events_position_seq'::regclass;

-- The offset of each consumer of the feed.
CREATE TABLE feed_offsets (
    consumer text   PRIMARY KEY,
    idx      bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

-- Events that a consumer could not handle and skipped.
CREATE TABLE parked_events (
    consumer  text        NOT NULL,
    idx       bigint      NOT NULL,
    event     uuid        NOT NULL,
    name      text        NOT NULL,
    reason    text        NOT NULL,
    parked_at timestamptz NOT NULL,
    PRIMARY KEY (consumer, idx)
);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

-- The serving role has no right to change events; the triggers also stop an owner's slip.
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Practices and applications -------------------------------------------------------------

-- Read models that are updated in the append itself: a check never reads an old row.

CREATE TABLE practices (
    tenant    text PRIMARY KEY,
    name      text NOT NULL,
    time_zone text NOT NULL
);

-- Each call looks up its application. Postgres scans a table of few pages instead of using its
-- index, which takes longer with every application. With the table spread over more pages, it
-- uses the index.
CREATE TABLE applications (
    application       uuid PRIMARY KEY,
    name              text    NOT NULL,
    jwks_url          text    NOT NULL,
    patient_scoped    boolean NOT NULL DEFAULT false,
    key_set_reread_at timestamptz -- when the application last requested to fetch its key set again; NULL if it never did
) WITH (fillfactor = 10);

CREATE TABLE application_callbacks (
    application uuid NOT NULL,
    callback    text NOT NULL,
    PRIMARY KEY (application, callback)
);

CREATE TABLE endpoint_grants (
    application uuid NOT NULL,
    endpoint    text NOT NULL,
    mode        text NOT NULL,
    PRIMARY KEY (application, endpoint, mode)
);

CREATE TABLE enablements (
    tenant      text NOT NULL,
    application uuid NOT NULL,
    PRIMARY KEY (tenant, application)
);

-- A standing authorisation has the patient 00000000-….
CREATE TABLE authorisations (
    tenant      text        NOT NULL,
    application uuid        NOT NULL,
    staff       uuid        NOT NULL,
    patient     uuid        NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, application, staff, patient)
);
-- Authorisations are looked up by their end: expired ones stay.
CREATE INDEX authorisations_current ON authorisations (tenant, application, staff, expires_at);
CREATE INDEX authorisations_patient ON authorisations (tenant, patient);

-- When each practice accepts requests of each type. A type without a row is accepted at all
-- hours.
CREATE TABLE intakes (
    tenant       text        NOT NULL,
    request_type text        NOT NULL,
    switched_off boolean     NOT NULL DEFAULT false,
    paused       boolean     NOT NULL DEFAULT false,
    paused_until timestamptz,                       -- NULL: until it is resumed
    hours        text[]      NOT NULL DEFAULT '{}', -- like 'mon 08:00-12:30', in the practice's time zone
    PRIMARY KEY (tenant, request_type)
);

-- When each practice is closed for every type.
CREATE TABLE closures (
    tenant text PRIMARY KEY,
    spans  tstzmultirange NOT NULL
);

-- Short texts that staff insert into notes. They name no patient.
CREATE TABLE note_templates (
    tenant text NOT NULL,
    name   text NOT NULL,
    text   text NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- Teams of staff, to whom requests are given. A removed team keeps its row: histories name it.
CREATE TABLE teams (
    tenant  text    NOT NULL,
    team    uuid    NOT NULL,
    name    text    NOT NULL,
    members uuid[]  NOT NULL,
    changes int     NOT NULL DEFAULT 1, -- how many events have set it
    removed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, team)
);
CREATE INDEX teams_kept ON teams (tenant, team) WHERE NOT removed;

CREATE TABLE sites (
    tenant text NOT NULL,
    site   uuid NOT NULL,
    name   text NOT NULL,
    PRIMARY KEY (tenant, site)
);

CREATE TABLE rooms (
    tenant text NOT NULL,
    room   uuid NOT NULL,
    site   uuid NOT NULL,
    name   text NOT NULL,
    PRIMARY KEY (tenant, room)
);

-- The screens in waiting rooms that may show the board of a site. A removed one has no row. A
-- reader of the table can use neither the link nor the session, because it holds their
-- SHA-256.
CREATE TABLE displays (
    tenant       text        NOT NULL,
    display      uuid        NOT NULL,
    name         text        NOT NULL,
    site         uuid        NOT NULL,
    naming       text        NOT NULL,
    link         bytea,               -- NULL once a screen has opened it
    link_until   timestamptz NOT NULL,
    session      bytea,               -- NULL until then
    connected_at timestamptz,
    PRIMARY KEY (tenant, display)
);

-- When each display last requested its board. The log does not hold that.
CREATE TABLE display_sights (
    tenant  text        NOT NULL,
    display uuid        NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, display)
) WITH (fillfactor = 50);

-- Patients, their records and requests ---------------------------------------------------

-- Names and dates of birth are in the events of the patient's stream, encrypted, and in no
-- read model.
CREATE TABLE patients (
    tenant     text NOT NULL,
    patient    uuid NOT NULL,
    restricted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, patient)
);

-- The number of missing patients of an append. The constraint refuses any, by its name.
CREATE DOMAIN patients_missing AS bigint CONSTRAINT patients_known CHECK (VALUE = 0);

CREATE TABLE record_restrictions (
    tenant  text NOT NULL,
    patient uuid NOT NULL,
    staff   uuid NOT NULL,
    PRIMARY KEY (tenant, patient, staff)
);

-- Members of staff who have opened a restricted record. The reason is in the event, encrypted.
CREATE TABLE broken_glass (
    tenant    text        NOT NULL,
    event     uuid        NOT NULL,
    patient   uuid        NOT NULL,
    staff     uuid        NOT NULL,
    broken_at timestamptz NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant, event)
);
CREATE INDEX broken_glass_patient ON broken_glass (tenant, patient, staff, until);
CREATE INDEX broken_glass_newest ON broken_glass (tenant, broken_at, event);

-- The contents of a patient's care record: the streams whose first events hold them.
CREATE TABLE record_entries (
    tenant      text        NOT NULL,
    patient     uuid        NOT NULL,
    entry       uuid        NOT NULL,
    staff       uuid,        -- the author, if a member of staff made it
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, patient, recorded_at, entry)
);

CREATE TABLE appointments (
    tenant       text        NOT NULL,
    appointment  uuid        NOT NULL,
    patient      uuid        NOT NULL,
    site         uuid        NOT NULL,
    starts_at    timestamptz NOT NULL,
    status       text        NOT NULL,
    room         uuid,        -- of the call-in, if one was assigned
    called_in_at timestamptz, -- of the call-in
    arrived_at   timestamptz, -- NULL unless the patient has arrived
    clinician    uuid,        -- NULL for no one in particular
    minutes      int         NOT NULL DEFAULT 0,  -- the length; 0 if it is open
    kind         text        NOT NULL DEFAULT '', -- how the patient is seen; '' if it is open
    PRIMARY KEY (tenant, appointment)
);
CREATE INDEX appointments_by_day ON appointments (tenant, site, starts_at);
CREATE INDEX appointments_clinician ON appointments (tenant, clinician, starts_at) WHERE clinician IS NOT NULL;
CREATE INDEX appointments_patient ON appointments (tenant, patient);
CREATE INDEX appointments_called_in ON appointments (tenant, called_in_at) WHERE called_in_at IS NOT NULL;

-- Read model behind the feed.
CREATE TABLE timeline (
    tenant  text        NOT NULL,
    patient uuid        NOT NULL,
    idx     bigint      NOT NULL,
    kind    text        NOT NULL,
    entry   uuid        NOT NULL,
    actor   text        NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, patient, idx)
);
-- What a member of staff has done, for them to read.
CREATE INDEX timeline_actor ON timeline (tenant, actor, idx);

-- Read model behind the feed: the requests of each practice as staff see them in lists.
CREATE TABLE inbox (
    tenant       text        NOT NULL,
    request      uuid        NOT NULL,
    patient      uuid        NOT NULL,
    type         text        NOT NULL,
    urgent       boolean     NOT NULL,
    by_proxy     boolean     NOT NULL,
    files        int         NOT NULL,
    submitted_at timestamptz NOT NULL,
    idx          bigint      NOT NULL, -- of the submission, in the log
    holder       uuid, -- a member of staff or a team
    until        date, -- put off until this day of the practice
    done_at      timestamptz,
    outcome      text, -- of a completed request
    in_error     boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, request)
);
-- One for each tab of the inbox, in its order, one for those that came since a list was loaded,
-- and one for a patient's requests.
CREATE INDEX inbox_new ON inbox (tenant, type, urgent, submitted_at, request) INCLUDE (until) WHERE done_at IS NULL AND holder IS NULL;
CREATE INDEX inbox_mine ON inbox (tenant, holder, type, urgent, submitted_at, request) INCLUDE (until) WHERE done_at IS NULL AND holder IS NOT NULL;
CREATE INDEX inbox_open ON inbox (tenant, type, urgent, submitted_at, request) INCLUDE (until) WHERE done_at IS NULL AND holder IS NOT NULL;
CREATE INDEX inbox_later ON inbox (tenant, type, urgent, submitted_at, request) INCLUDE (until) WHERE done_at IS NULL AND until IS NOT NULL;
CREATE INDEX inbox_done ON inbox (tenant, type, urgent, done_at, request) WHERE done_at IS NOT NULL;
CREATE INDEX inbox_since ON inbox (tenant, type, urgent, idx) WHERE done_at IS NULL AND holder IS NULL AND until IS NULL;
CREATE INDEX inbox_patient ON inbox (tenant, patient, submitted_at, request);

-- The results of a patient search, for its next pages. The search text is in no table. After a
-- crash the rows are of no use.
CREATE UNLOGGED TABLE patient_searches (
    session uuid        NOT NULL, -- of the member of staff who searched
    search  uuid        NOT NULL,
    found   uuid[]      NOT NULL,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (session, search)
);
CREATE INDEX patient_searches_age ON patient_searches (made_at);

-- The filters of the inbox that members of staff have saved, each as the query of an address. They
-- hold nothing that was typed.
CREATE TABLE saved_filters (
    tenant text NOT NULL,
    staff  uuid NOT NULL,
    filter text NOT NULL,
    PRIMARY KEY (tenant, staff, filter)
);

-- Requests for an erasure, so that a second person finds them (D90).
CREATE TABLE erasure_requests (
    tenant   text        NOT NULL,
    patient  uuid        NOT NULL,
    erasure  uuid        NOT NULL,
    asked_at timestamptz NOT NULL,
    staff    uuid,                 -- who asked; NULL for an operator
    PRIMARY KEY (tenant, patient)
);

-- Files sent with patient requests. They are stored while they arrive, before the event that
-- names them, in short transactions of their own; the sweeper removes those that no event has
-- named after a day. It looks at an upload once: either it is removed, or an event names it,
-- permanently.
CREATE TABLE uploads (
    tenant     text        NOT NULL,
    upload     uuid        NOT NULL,
    started_at timestamptz NOT NULL,
    named      boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, upload)
);
CREATE INDEX uploads_unnamed ON uploads (started_at) WHERE NOT named;

-- Their content, 256 KiB a row. No role may change a row, and a row is deleted only together
-- with its upload. Pictures and documents are compressed already. Compressing them again would
-- take more time than everything else.
CREATE TABLE upload_chunks (
    tenant text  NOT NULL,
    upload uuid  NOT NULL,
    n      int   NOT NULL,
    data   bytea NOT NULL,
    PRIMARY KEY (tenant, upload, n),
    CONSTRAINT upload_chunks_upload FOREIGN KEY (tenant, upload) REFERENCES uploads ON DELETE CASCADE
);
ALTER TABLE upload_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

-- Read model, at once: the files that events name. Because of the reference, a named file
-- cannot be swept, and a swept file cannot be named.
CREATE TABLE attachments (
    tenant     text   NOT NULL,
    attachment uuid   NOT NULL,
    request    uuid   NOT NULL,
    patient    uuid   NOT NULL,
    size       bigint NOT NULL,
    sha256     bytea  NOT NULL,
    PRIMARY KEY (tenant, attachment),
    CONSTRAINT attachments_upload FOREIGN KEY (tenant, attachment) REFERENCES uploads (tenant, upload)
);
CREATE INDEX attachments_by_id ON attachments (attachment);
CREATE INDEX attachments_patient ON attachments (tenant, patient);

-- Read model, at once: the answers to calls with an Idempotency-Key, byte for byte.
CREATE TABLE answers (
    tenant      text        NOT NULL,
    key         bytea       NOT NULL,
    body        bytea       NOT NULL, -- the digest of the call's body
    made        uuid        NOT NULL, -- the stream that the call wrote to
    answered_at timestamptz NOT NULL,
    patient     uuid,                 -- the patient of the answer
    answer      text        NOT NULL,
    CONSTRAINT answers_key PRIMARY KEY (tenant, key)
);
CREATE INDEX answers_age ON answers (answered_at);
CREATE INDEX answers_patient ON answers (tenant, patient);

-- Webhooks -------------------------------------------------------------------------------

-- The URL of an application for events of one kind. Webhooks to one destination keep their
-- order and share its slots.
CREATE TABLE webhooks (
    application uuid NOT NULL,
    event       text NOT NULL,
    url         text NOT NULL,
    destination uuid NOT NULL,
    PRIMARY KEY (application, event)
);

CREATE TABLE signing_keys (
    kid       text        PRIMARY KEY,
    n         text        NOT NULL,
    e         text        NOT NULL,
    state     text        NOT NULL,
    since     timestamptz NOT NULL,
    staged_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (state) WHERE state = 'active';

-- Private keys, encrypted under the master key, until they no longer sign. They are no read
-- model: the log could not restore them.
CREATE TABLE signing_key_secrets (
    kid        text        PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL
);

-- Webhooks to be sent, being sent and sent: ids only. The body is built
-- when it is sent. pending → sending → delivered | failed | unknown, or
-- pending → expired | withdrawn.
CREATE TABLE deliveries (
    event       uuid        NOT NULL, -- the jti
    application uuid        NOT NULL,
    idx         bigint      NOT NULL, -- the event's idx
    tenant      text        NOT NULL,
    kind        text        NOT NULL,
    subject     uuid        NOT NULL, -- the key of its order: a patient or an appointment
    destination uuid        NOT NULL,
    happened_at timestamptz NOT NULL,
    not_after   timestamptz NOT NULL,
    status      text        NOT NULL DEFAULT 'pending',
    attempt     uuid,                 -- the claim: only its holder can store the result
    claimed_at  timestamptz,
    unknown_at  timestamptz,          -- when a silent sender counts as crashed
    finished_at timestamptz,
    reason      text,
    http_status int,
    kid         text,
    connect_ms  int,                  -- until there was a connection
    answer_ms   int,                  -- until the first byte of an answer
    url         text,                 -- destination, without the query; it stays when the address changes
    PRIMARY KEY (event, application)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX deliveries_lane ON deliveries (destination, idx) WHERE status = 'pending';
CREATE INDEX deliveries_order ON deliveries (destination, tenant, subject, idx) WHERE finished_at IS NULL; -- no condition on status, so that no plan finds pending ones with it
CREATE INDEX deliveries_age ON deliveries (not_after) WHERE status = 'pending';
CREATE INDEX deliveries_sending ON deliveries (unknown_at) WHERE status = 'sending';
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX deliveries_tenant ON deliveries (tenant, event);
CREATE INDEX deliveries_undelivered ON deliveries (status, event)
    WHERE status IN ('failed', 'expired', 'withdrawn', 'unknown');

-- The results of deliveries, after the delivery itself is removed. The same event always has
-- the same id, which begins with its time, so that both rows are in the same partition.
CREATE TABLE delivered (
    event       uuid        NOT NULL,
    application uuid        NOT NULL,
    idx         bigint      NOT NULL,
    tenant      text        NOT NULL,
    kind        text        NOT NULL,
    patient     uuid,                 -- the patient of the event
    destination uuid        NOT NULL,
    happened_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    status      text        NOT NULL,
    reason      text,
    url         text,
    PRIMARY KEY (event, application)
) PARTITION BY RANGE (event);
CREATE INDEX delivered_tenant ON delivered (tenant, event);
CREATE INDEX delivered_undelivered ON delivered (status, event) WHERE status IN ('failed', 'expired', 'withdrawn', 'unknown');
CREATE TABLE delivered_default PARTITION OF delivered DEFAULT
    WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
CREATE TRIGGER delivered_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON delivered
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER delivered_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON delivered_default
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Every known delivery, in the queue's table or not.
CREATE VIEW delivery_log AS
SELECT event, application, idx, kind, tenant, destination, status, reason, http_status, kid, happened_at, claimed_at, finished_at, connect_ms, answer_ms, url
FROM deliveries
UNION ALL
SELECT event, application, idx, kind, tenant, destination, status, reason, NULL, NULL, happened_at, NULL, finished_at, NULL, NULL, url
FROM delivered;

-- Staff and signing in -------------------------------------------------------------------

CREATE TABLE staff (
    tenant          text    NOT NULL,
    staff           uuid    NOT NULL,
    username        text    NOT NULL,
    name            text    NOT NULL,
    email           text    NOT NULL,
    administrator   boolean NOT NULL,
    active          boolean NOT NULL DEFAULT true,
    credential      uuid,   -- the current password, by an id in the log; NULL: they cannot sign in
    password_digest bytea,  -- the SHA-256 of its hash, from the log; NULL without a password
    roles           text[], -- NULL until they are set: an administrator is manager then, and others have no role
    reset           uuid,   -- a request for a reset; NULL without one
    reset_by        uuid,   -- the member of staff who made it; NULL for an operator
    reset_at        timestamptz, -- when it was made
    PRIMARY KEY (tenant, staff),
    CONSTRAINT staff_username UNIQUE (tenant, username)
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0); -- one dead row is enough
-- pg_statistic would keep names after an erasure.
ALTER TABLE staff ALTER username SET STATISTICS 0, ALTER name SET STATISTICS 0, ALTER email SET STATISTICS 0;

-- The number of managers that a practice has left. The constraint refuses an append that would
-- leave none, by its name.
CREATE DOMAIN managers_left AS bigint CONSTRAINT staff_last_manager CHECK (VALUE > 0);

-- Links by which members of staff choose a password. Only the newest of each is here. A
-- reader of the table cannot use it, because it holds the SHA-256 of the secret.
CREATE TABLE staff_links (
    tenant     text        NOT NULL,
    link       bytea       NOT NULL,
    staff      uuid        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, link)
);
CREATE UNIQUE INDEX staff_links_member ON staff_links (tenant, staff);

-- The passkeys of staff, according to the log. Nothing here is secret: a public key cannot
-- sign in.
CREATE TABLE staff_passkeys (
    tenant          text        NOT NULL,
    passkey         uuid        NOT NULL,
    staff           uuid        NOT NULL,
    name            text        NOT NULL,
    credential      bytea       NOT NULL,
    public_key      bytea       NOT NULL,
    backup_eligible boolean     NOT NULL,
    sign_count      bigint      NOT NULL, -- when it was added
    transports      text[],
    added_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant, passkey)
);
-- A credential belongs to one member of a practice.
CREATE UNIQUE INDEX staff_passkeys_credential ON staff_passkeys (tenant, credential);
CREATE INDEX staff_passkeys_member ON staff_passkeys (tenant, staff);

-- Which roles need a passkey, at practices that have chosen them.
CREATE TABLE passkey_rules (
    tenant text   PRIMARY KEY,
    roles  text[] NOT NULL
);

-- The sign-ins of each member of staff.
CREATE TABLE sign_ins (
    tenant  text        NOT NULL,
    staff   uuid        NOT NULL,
    at      timestamptz NOT NULL,
    session uuid        NOT NULL,
    how     text        NOT NULL,
    PRIMARY KEY (tenant, staff, at, session)
);

-- Signing in also needs the following tables, which the log does not hold. Auditors may read
-- none of them.

-- Hashes, written before the append that makes them valid.
CREATE TABLE staff_passwords (
    tenant     text NOT NULL,
    staff      uuid NOT NULL,
    credential uuid NOT NULL,
    hash       text NOT NULL, -- argon2id, in the PHC form
    PRIMARY KEY (tenant, staff, credential)
);

-- The sessions. A session is valid while its member of staff is active and has the password
-- that it was begun with.
CREATE TABLE staff_sessions (
    token_hash   bytea       PRIMARY KEY, -- SHA-256; a reader of the table cannot use it
    tenant       text        NOT NULL,
    staff        uuid        NOT NULL,
    credential   uuid        NOT NULL,
    signed_in_at timestamptz NOT NULL,
    seen_at      timestamptz NOT NULL,
    id           uuid        NOT NULL DEFAULT gen_random_uuid(), -- names the session without its secret
    confirmed_at timestamptz,             -- when they last confirmed their identity; NULL: when they signed in
    browser      text        NOT NULL DEFAULT '',
    form_key     bytea       NOT NULL,    -- makes the tokens of forms, which outlast a new token_hash
    news_since   timestamptz,             -- what happened to the account after it is still to be shown; NULL: nothing is
    news_browser timestamptz,             -- when another browser first signed in after that; NULL: none did
    site         uuid,                    -- where Appointments begins; NULL: at the first site
    room         uuid,                    -- into which patients are called from there; NULL for none
    clinician    uuid                     -- whose appointments are shown there; NULL for everyone's
) WITH (fillfactor = 50);
CREATE INDEX staff_sessions_age ON staff_sessions (signed_in_at);
-- A member of staff has a bounded number of sessions.
CREATE INDEX staff_sessions_member ON staff_sessions (tenant, staff, signed_in_at);

-- Browsers that staff have signed in with. Attempts from such a browser are counted here,
-- apart from those of strangers. A browser has one token for a practice, and a row for each of
-- the staff who have signed in there. A row is valid while its member of staff is active and
-- has the password that it was made with.
CREATE TABLE staff_devices (
    token_hash   bytea       NOT NULL, -- SHA-256; a reader of the table cannot use it
    tenant       text        NOT NULL,
    staff        uuid        NOT NULL,
    credential   uuid        NOT NULL,
    tries        int         NOT NULL DEFAULT 0, -- since the last sign-in
    signed_in_at timestamptz NOT NULL,
    first_at     timestamptz NOT NULL, -- of the first sign-in, by the practice's clock, as the log has it
    told_at      timestamptz,          -- of the last sign-in, by that clock; NULL: they only confirmed who they are
    PRIMARY KEY (token_hash, staff)
);
CREATE INDEX staff_devices_member ON staff_devices (tenant, staff, signed_in_at);
CREATE INDEX staff_devices_age ON staff_devices (signed_in_at);

-- The last use of each passkey, with the count that it then signed. A count that goes back is
-- a copy's.
CREATE TABLE staff_passkey_uses (
    tenant     text        NOT NULL,
    staff      uuid        NOT NULL,
    passkey    uuid        NOT NULL,
    sign_count bigint      NOT NULL,
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant, staff, passkey)
) WITH (fillfactor = 50);

-- Challenges that a passkey has signed, until they end. A challenge without a signature is
-- in no table.
CREATE TABLE staff_challenges (
    challenge  bytea       PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX staff_challenges_age ON staff_challenges (expires_at);

-- Members of staff whose password was right, and whose passkey is still required.
CREATE TABLE staff_sign_in_steps (
    token_hash bytea       PRIMARY KEY, -- SHA-256; a reader of the table cannot use it
    tenant     text        NOT NULL,
    staff      uuid        NOT NULL,
    credential uuid        NOT NULL,
    tries      int         NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX staff_sign_in_steps_member ON staff_sign_in_steps (tenant, staff, expires_at);
CREATE INDEX staff_sign_in_steps_age ON staff_sign_in_steps (expires_at);

-- Failed attempts to sign in since the last success, of one account from one source or from
-- everywhere. The mark hides all of them: an address is a person's home, and people type
-- passwords into the username field. The account need not exist. The keys of marks are lost in
-- a crash, and so is the table; it is in no WAL and no base backup.
CREATE UNLOGGED TABLE sign_in_tries (
    mark         bytea       PRIMARY KEY, -- HMAC-SHA-256 with a key in source_keys
    tries        int         NOT NULL,
    last_at      timestamptz NOT NULL,
    locked_until timestamptz NOT NULL
);
CREATE INDEX sign_in_tries_age ON sign_in_tries (last_at);

-- The keys that make the marks of sources on one day (UTC): those in the log, and those of
-- sign_in_tries. Old keys are deleted and must not be recoverable: an unlogged table is
-- neither in the WAL nor in a base backup. After a crash, or on another server, a new key is
-- made.
CREATE UNLOGGED TABLE source_keys (
    purpose text  NOT NULL, -- "log" or "tries"
    day     date  NOT NULL,
    key     bytea NOT NULL, -- 256 random bits
    PRIMARY KEY (purpose, day)
);

-- Keys of persons, and erasures ----------------------------------------------------------

-- The master keys that wrap the keys below: an identifier, never the key. The one that is
-- not replaced wraps new keys. All times are of the database's clock; the number gives the
-- order, whatever clocks show.
CREATE TABLE master_keys (
    id           text        PRIMARY KEY,
    number       int         NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    since        timestamptz NOT NULL DEFAULT clock_timestamp(),
    replaced_at  timestamptz, -- from then on, another one wraps new keys
    unused_at    timestamptz, -- from then on, no key is wrapped under it, and none can be
    needed_until timestamptz, -- the last backup from before unused_at expires then
    destroyed_at timestamptz, -- an operator confirmed that no copy of it is left
    destroyed_by text
);
CREATE UNIQUE INDEX master_keys_only ON master_keys ((true)) WHERE replaced_at IS NULL;

-- The master keys that each serving process holds. A rotation waits for the processes that
-- were seen in the last minute.
CREATE TABLE master_key_holders (
    process uuid        PRIMARY KEY,
    host    text        NOT NULL,
    held    text[]      NOT NULL, -- identifiers
    wraps   text        NOT NULL, -- the one that wraps the new keys of this process
    seen_at timestamptz NOT NULL
);

-- The keys of persons and requests, wrapped with a master key. Destroying a key erases
-- everything encrypted under it. A request's key belongs to the patient to whom the request is
-- linked. Kind 0 is a key of the practice, from which practitioners' identifiers are derived.
CREATE TABLE personal_keys (
    tenant      text     NOT NULL,
    kind        smallint NOT NULL,
    holder      uuid     NOT NULL,
    patient     uuid,
    fingerprint bytea    NOT NULL,
    master      text     NOT NULL, -- one of master_keys: see keep_master_keys
    wrapped     bytea    NOT NULL,
    CONSTRAINT personal_keys_holder PRIMARY KEY (tenant, kind, holder)
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0); -- one dead row is enough
-- pg_statistic would keep keys after their rows.
ALTER TABLE personal_keys ALTER wrapped SET STATISTICS 0, ALTER fingerprint SET STATISTICS 0;
CREATE INDEX personal_keys_patient ON personal_keys (tenant, patient) WHERE patient IS NOT NULL;

-- A master key is used while a key is wrapped under it. A statement that inserts keys reads
-- master_keys after it has locked personal_keys. So it has committed before the lock here,
-- or it does not find the master key any more.
-- +goose StatementBegin
CREATE FUNCTION keep_master_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE personal_keys IN SHARE MODE;
    IF EXISTS (SELECT FROM personal_keys WHERE master NOT IN (SELECT id FROM master_keys WHERE unused_at IS NULL)) THEN
        RAISE foreign_key_violation USING MESSAGE = 'keys are wrapped under the master key';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER master_keys_in_use AFTER DELETE OR UPDATE OF id, unused_at OR TRUNCATE ON master_keys
    FOR EACH STATEMENT EXECUTE FUNCTION keep_master_keys();

-- The erasures: which it was, as the log has it, and which key was destroyed. Nothing is
-- appended about the holder any more. The ledger, which is kept outside the database, is
-- compared with this.
CREATE TABLE erasures (
    tenant      text        NOT NULL,
    kind        smallint    NOT NULL,
    holder      uuid        NOT NULL,
    erased_at   timestamptz NOT NULL,
    erasure     uuid        NOT NULL,
    stream      uuid        NOT NULL,
    version     int         NOT NULL,
    fingerprint text        NOT NULL, -- in hexadecimal; '' if there was no key
    PRIMARY KEY (tenant, kind, holder)
);
CREATE INDEX erasures_erased ON erasures (erased_at);
-- The serving role may lock rows, for which Postgres asks for UPDATE, and change none.
CREATE TRIGGER erasures_final BEFORE UPDATE ON erasures
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The newest master key at the time of each erasure, by its number. The keys that the
-- erasure destroyed were wrapped under this one or earlier ones, and backups still are.
CREATE TABLE erasure_masters (
    tenant  text NOT NULL,
    erasure uuid NOT NULL,
    newest  int  NOT NULL,
    PRIMARY KEY (tenant, erasure)
);

-- How many erasures there were when a table was last rewritten, so that its file holds no
-- deleted rows of before.
CREATE TABLE table_rewrites (
    name     text   PRIMARY KEY,
    erasures bigint NOT NULL
);

-- An erasure is final when every master key of its time is destroyed. If the master key of
-- an erasure is unknown, all of them count.
CREATE VIEW erasure_finality AS
SELECT e.tenant, e.kind, e.holder, e.erasure, f.final_since, f.final_from
FROM erasures e LEFT JOIN erasure_masters x USING (tenant, erasure)
CROSS JOIN LATERAL (
    SELECT CASE WHEN bool_and(m.destroyed_at IS NOT NULL) THEN max(m.destroyed_at) END AS final_since,
        CASE WHEN bool_and(m.unused_at IS NOT NULL) THEN max(m.needed_until) END AS final_from
    FROM master_keys m WHERE m.number <= coalesce(x.newest, 2147483647)
) f;

-- The newest request for the erasure of each person, and when it was stored by the clock of
-- the database. Events have the clock of the process that stored them.
CREATE TABLE erasures_requested (
    tenant    text        NOT NULL,
    stream    uuid        NOT NULL, -- of the person
    erasure   uuid        NOT NULL,
    version   int         NOT NULL, -- of the request in the stream
    stored_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, stream)
);

-- The clock by which erasures wait. A sandbox moves it by an offset in a table that a
-- superuser owns: no setting of a session, a role or the owner changes it.
-- +goose StatementBegin
CREATE FUNCTION erasure_clock() RETURNS timestamptz LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE ahead interval;
BEGIN
    IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
            WHERE n.nspname = 'sandbox' AND c.relname = 'moved_clock' AND c.relkind = 'r' AND r.rolsuper) THEN
        SELECT c.ahead INTO ahead FROM sandbox.moved_clock c;
    END IF;
    RETURN clock_timestamp() + coalesce(ahead, '0');
END $$;
-- +goose StatementEnd

-- Erasing takes two people and a day, whatever the program does: the serving role can neither
-- delete keys nor insert erasures. An event does both. Its keys are destroyed if another
-- actor's request for the same erasure was stored 24 hours to 30 days before, and nothing
-- holds the data. After a restore, the owner erases again without a request.
-- +goose StatementBegin
CREATE FUNCTION erase_by_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_kind  smallint;
    of_person uuid;
    body     jsonb := NEW.data::jsonb;
    actor    jsonb := NEW.metadata::jsonb -> 'actor';
    asked    public.erasures_requested;
    asker    jsonb;
    restored boolean := body ->> 'basis' = 'restored';
BEGIN
    CASE split_part(NEW.name, '.', 2)
    WHEN 'erasure-requested' THEN
        INSERT INTO public.erasures_requested (tenant, stream, erasure, version, stored_at)
        VALUES (NEW.tenant, NEW.stream, (body ->> 'erasure')::uuid, NEW.version, public.erasure_clock())
        ON CONFLICT (tenant, stream) DO UPDATE SET erasure = excluded.erasure, version = excluded.version, stored_at = excluded.stored_at;
        RETURN NULL;
    WHEN 'erasure-withdrawn' THEN
        DELETE FROM public.erasures_requested r WHERE r.tenant = NEW.tenant AND r.stream = NEW.stream AND r.erasure = (body ->> 'erasure')::uuid;
        RETURN NULL;
    ELSE
    END CASE;

    CASE split_part(NEW.name, '.', 1)
    WHEN 'patient' THEN of_kind := 1; of_person := (body ->> 'patient')::uuid;
    WHEN 'staff' THEN of_kind := 2; of_person := NEW.stream;
    WHEN 'practitioner' THEN of_kind := 3; of_person := (body ->> 'practitioner')::uuid;
    END CASE;
    IF restored THEN
        IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
            RAISE insufficient_privilege USING MESSAGE = 'only the owner of the database erases again after a restore';
        END IF;
    ELSE
        SELECT * INTO asked FROM public.erasures_requested r
        WHERE r.tenant = NEW.tenant AND r.stream = NEW.stream AND r.erasure = (body ->> 'erasure')::uuid
            AND r.stored_at >= public.erasure_clock() - interval '30 days';
        IF NOT FOUND THEN
            RAISE check_violation USING CONSTRAINT = 'erasure_requested', MESSAGE = 'the erasure was not requested';
        END IF;
        IF asked.stored_at > public.erasure_clock() - interval '24 hours' THEN
            RAISE check_violation USING CONSTRAINT = 'erasure_waits', MESSAGE = 'the erasure was requested less than 24 hours ago';
        END IF;
        SELECT e.metadata::jsonb -> 'actor' INTO asker FROM public.events e
        WHERE e.tenant = NEW.tenant AND e.stream = NEW.stream AND e.version = asked.version
            AND (of_kind <> 1 OR e.patient = of_person) AND (of_kind <> 3 OR (e.data::jsonb ->> 'practitioner')::uuid = of_person);
        IF asker IS NULL OR actor IS NULL
            OR asker ->> 'kind' = actor ->> 'kind' AND asker ->> 'id' = actor ->> 'id'
            OR (CASE asker ->> 'kind' WHEN 'staff' THEN asker ->> 'id' ELSE asker ->> 'for' END)
                = (CASE actor ->> 'kind' WHEN 'staff' THEN actor ->> 'id' ELSE actor ->> 'for' END) THEN
            RAISE check_violation USING CONSTRAINT = 'erasure_two_people', MESSAGE = 'one person has requested and confirmed the erasure';
        END IF;
        IF EXISTS (SELECT FROM public.events h WHERE h.tenant = NEW.tenant AND h.stream = NEW.stream AND h.name = 'patient.erasure-held.v1'
                AND NOT EXISTS (SELECT FROM public.events l WHERE l.tenant = NEW.tenant AND l.stream = NEW.stream
                    AND l.name = 'patient.erasure-hold-lifted.v1' AND l.data::jsonb ->> 'hold' = h.data::jsonb ->> 'hold')) THEN
            RAISE check_violation USING CONSTRAINT = 'erasure_held', MESSAGE = 'the data are held';
        END IF;
        IF NOT EXISTS (SELECT FROM jsonb_to_recordset(body -> 'keys') AS k (kind smallint, holder uuid) WHERE (k.kind, k.holder) = (of_kind, of_person))
            OR EXISTS (SELECT FROM jsonb_to_recordset(body -> 'keys') AS k (kind smallint, holder uuid)
                WHERE (k.kind, k.holder) <> (of_kind, of_person)
                    AND NOT (of_kind = 1 AND k.kind = 4 AND EXISTS (SELECT FROM public.personal_keys p
                        WHERE p.tenant = NEW.tenant AND p.kind = 4 AND p.holder = k.holder AND p.patient = of_person))) THEN
            RAISE check_violation USING CONSTRAINT = 'erasure_keys', MESSAGE = 'the erasure names a key of another person';
        END IF;
    END IF;

    DELETE FROM public.personal_keys p USING jsonb_to_recordset(body -> 'keys') AS k (kind smallint, holder uuid, fingerprint text)
    WHERE p.tenant = NEW.tenant AND p.kind = k.kind AND p.holder = k.holder AND encode(p.fingerprint, 'hex') = k.fingerprint;
    IF EXISTS (SELECT FROM public.personal_keys p JOIN jsonb_to_recordset(body -> 'keys') AS k (kind smallint, holder uuid) USING (kind, holder)
            WHERE p.tenant = NEW.tenant) THEN
        RAISE check_violation USING CONSTRAINT = 'erasure_keys', MESSAGE = 'the erasure names another fingerprint than the key has';
    END IF;
    INSERT INTO public.erasures (tenant, kind, holder, fingerprint, erased_at, erasure, stream, version)
    SELECT NEW.tenant, k.kind, k.holder, k.fingerprint, NEW.recorded_at, (body ->> 'erasure')::uuid, NEW.stream, NEW.version
    FROM jsonb_to_recordset(body -> 'keys') AS k (kind smallint, holder uuid, fingerprint text) ON CONFLICT DO NOTHING;
    INSERT INTO public.erasure_masters (tenant, erasure, newest)
    VALUES (NEW.tenant, (body ->> 'erasure')::uuid, coalesce((SELECT max(number) FROM public.master_keys), 0))
    ON CONFLICT (tenant, erasure) DO UPDATE SET newest = excluded.newest;
    UPDATE public.uploads u SET named = false FROM public.attachments a
    WHERE of_kind = 1 AND a.tenant = NEW.tenant AND a.patient = of_person AND u.tenant = a.tenant AND u.upload = a.attachment;
    DELETE FROM public.erasures_requested r WHERE r.tenant = NEW.tenant AND r.stream = NEW.stream;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER events_erase AFTER INSERT ON events FOR EACH ROW
    WHEN (NEW.name IN ('patient.erasure-requested.v1', 'patient.erasure-withdrawn.v1', 'patient.erased.v1',
        'staff.erasure-requested.v1', 'staff.erasure-withdrawn.v1', 'staff.erased.v1',
        'practitioner.erasure-requested.v1', 'practitioner.erasure-withdrawn.v1', 'practitioner.erased.v1'))
    EXECUTE FUNCTION erase_by_event();

-- A file that an event names is deleted after its patient was erased, and never before.
-- +goose StatementBegin
CREATE FUNCTION keep_files() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.named THEN
        RETURN NEW;
    END IF;
    IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RAISE insufficient_privilege USING MESSAGE = format('an event names the file: %s on %s is refused', TG_OP, TG_TABLE_NAME);
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE FUNCTION keep_attachments() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.erasures e WHERE e.tenant = OLD.tenant AND e.kind = 1 AND e.holder = CASE TG_OP WHEN 'DELETE' THEN OLD.patient ELSE NEW.patient END)
            <> (TG_OP = 'DELETE')
        AND NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RAISE insufficient_privilege USING MESSAGE = format('an event names the file: %s on %s is refused', TG_OP, TG_TABLE_NAME);
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
-- +goose StatementEnd
CREATE TRIGGER uploads_kept BEFORE DELETE OR UPDATE ON uploads FOR EACH ROW WHEN (OLD.named) EXECUTE FUNCTION keep_files();
CREATE TRIGGER attachments_kept BEFORE DELETE OR UPDATE ON attachments FOR EACH ROW EXECUTE FUNCTION keep_attachments();

-- The access record ----------------------------------------------------------------------

-- One row for each call with a valid signature, with the caller and the result, and one for
-- each page that has shown patients to staff, in the mode page (D91). Rows are written once,
-- in batches, and never changed. The request id is a UUIDv7, which begins with its time: the
-- newest rows are at the end of the index, and old ones are archived a month at a time (D72).
-- frontdesk retain makes the partitions of months; until then rows go to the default.
CREATE TABLE access_record (
    request_id  uuid        NOT NULL,
    at          timestamptz NOT NULL,
    tenant      text        NOT NULL,
    application uuid        NOT NULL,
    mode        text        NOT NULL,
    staff       uuid,
    endpoint    text        NOT NULL,
    patient     uuid,
    status      int         NOT NULL,
    code        text        NOT NULL,
    reason      text        NOT NULL,
    act         text,                 -- [personal] replaces a practitioner's names; of a page: the patients shown
    token_hash  bytea       NOT NULL,
    sealed      bytea,                -- the practitioner of the act claim, encrypted
    repeats     int         NOT NULL DEFAULT 0, -- equal refusals before it that have no row of their own (D173)
    -- The following are of a call (D95, D146, D177), and are not in the line's leaf.
    took_ms     int,
    idempotency_key bytea,            -- SHA-256 of the application and the key
    replayed    boolean     NOT NULL DEFAULT false,
    further     text,                 -- the refusals after the first, as JSON
    user_agent  text,                 -- name and version of the program that called, as it states them
    PRIMARY KEY (request_id)
) PARTITION BY RANGE (request_id);
CREATE INDEX access_record_tenant ON access_record (tenant, request_id);
CREATE INDEX access_record_patient ON access_record (patient, request_id) WHERE patient IS NOT NULL;
CREATE INDEX access_record_at ON access_record USING brin (at);
CREATE INDEX access_record_application ON access_record (application, request_id);
CREATE INDEX access_record_key ON access_record (idempotency_key, request_id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX access_record_staff ON access_record (staff, request_id) WHERE staff IS NOT NULL;
CREATE INDEX access_record_failed ON access_record (request_id) WHERE status >= 500;
CREATE INDEX access_record_looks ON access_record USING gin ((act::jsonb -> 'patients') jsonb_path_ops) WHERE mode = 'page';
CREATE INDEX access_record_refused ON access_record (tenant, request_id) WHERE status >= 400 AND status < 500; -- of which there are few
CREATE INDEX access_record_answers ON access_record (endpoint, request_id) WHERE mode = 'page' AND endpoint LIKE 'request-outcome:%'; -- who was shown an answer
CREATE TABLE access_record_default PARTITION OF access_record DEFAULT
    WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
-- A partition also needs the trigger: a statement that names it bypasses the whole.
CREATE TRIGGER access_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_record
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER access_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_record_default
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The access record as a log (D80): each line has a number, dense and in commit order. A line
-- gets it in the transaction that writes it.
CREATE TABLE access_log (
    idx        bigint NOT NULL PRIMARY KEY,
    request_id uuid   NOT NULL UNIQUE,
    tree       text   NOT NULL, -- the practice whose tree the line is in: '' if there was no such practice
    leaf       bytea            -- its hash, if the line is in an archive; NULL if it is in access_record
);
CREATE INDEX access_log_tree ON access_log (tree, idx);

-- The transaction that numbers lines locks this row until the commit.
CREATE TABLE access_head (
    idx      bigint NOT NULL DEFAULT 0, -- the highest number
    archived bigint NOT NULL DEFAULT 0  -- up to here, all lines are in archives
) WITH (fillfactor = 10);
CREATE UNIQUE INDEX access_head_one ON access_head ((true));
INSERT INTO access_head DEFAULT VALUES;

-- Lines that were written while another transaction held the head. number_calls numbers them.
CREATE TABLE access_waiting (request_id uuid NOT NULL PRIMARY KEY);

-- The trees of the access record at access_head.archived.
CREATE TABLE archived_trees (
    tenant text   NOT NULL PRIMARY KEY,
    size   bigint NOT NULL,
    edge   bytea  NOT NULL -- a root for each bit of size, the largest subtree's first
);

-- The archived partitions and their files. A partition that is detached is listed at once; its
-- lines are in the file, and its table is dropped, when archived_at is set. Nothing leaves the
-- access record before its file is written.
CREATE TABLE archives (
    name        text        PRIMARY KEY, -- of the partition and its file
    record      text        NOT NULL,    -- access_record or delivered
    since       timestamptz,             -- NULL: from the beginning
    until       timestamptz NOT NULL,    -- exclusive
    detached_at timestamptz NOT NULL,
    archived_at timestamptz,
    lines       bigint,
    sha256      text,                    -- of the file
    CONSTRAINT archives_written CHECK (record <> 'access_record' OR sha256 IS NOT NULL)
);

-- Trees and checkpoints ------------------------------------------------------------------

-- The trees whose checkpoints are signed: one for the events of each practice, and one for
-- global events (tenant ''); the same for the access record. The prover builds them behind the
-- log. They need no trust: a proof is checked against a signed root, and everything can be
-- built again (D76).
CREATE TABLE trees (
    tenant text     NOT NULL,
    kind   smallint NOT NULL, -- 1 events, 2 lines of the access record
    size   bigint   NOT NULL,
    PRIMARY KEY (tenant, kind)
) WITH (fillfactor = 50);

-- Leaves that fill no tile yet, in one row for each batch.
CREATE TABLE tree_tail (
    tenant    text     NOT NULL,
    kind      smallint NOT NULL,
    n         bigint   NOT NULL, -- the number of the first of them in their tree, from 0
    first_idx bigint   NOT NULL, -- its idx: that of the event, or of the line
    hashes    bytea    NOT NULL,
    PRIMARY KEY (tenant, kind, n)
);

-- Full tiles, of 256 leaves each. Every other hash of a tree is computed from their roots.
CREATE TABLE tree_tiles (
    tenant    text     NOT NULL,
    kind      smallint NOT NULL,
    n         bigint   NOT NULL, -- the tile's number in its tree, from 0
    first_idx bigint   NOT NULL, -- of its first leaf
    root      bytea    NOT NULL,
    hashes    bytea    NOT NULL, -- of its leaves; they cannot be compressed
    PRIMARY KEY (tenant, kind, n)
);
ALTER TABLE tree_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE INDEX tree_tiles_idx ON tree_tiles (tenant, kind, first_idx);

-- The prover's position in the log, and in the access record.
CREATE TABLE prover (
    kind smallint PRIMARY KEY,
    idx  bigint   NOT NULL
) WITH (fillfactor = 10);
INSERT INTO prover (kind, idx) VALUES (1, 0), (2, 0);

-- The signer's checkpoints: of each tree the newest of each day and epoch.
CREATE TABLE checkpoints (
    tenant    text        NOT NULL,
    kind      smallint    NOT NULL,
    epoch     int         NOT NULL,
    day       date        NOT NULL, -- UTC
    size      bigint      NOT NULL,
    note      text        NOT NULL, -- the signed note, with witnesses' cosignatures
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, kind, epoch, day)
);

-- Functions ------------------------------------------------------------------------------

-- A commit that must not be lost waits for the disk, and for the standbys that the primary
-- waits for, whatever the role or the database have been set to.
-- +goose StatementBegin
CREATE FUNCTION commit_safely() RETURNS text LANGUAGE sql AS $$
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
$$;

-- The number of standbys that hold each commit before it is acknowledged; NULL if the owner
-- may not know. It runs as the owner, so that the serving role need not see every session.
CREATE FUNCTION synchronous_standbys() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN
        (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) END
$$;

-- A query of an auditor for patient data appends an event. Their role may append this event
-- and no other: its name, its time, its stream and the actor are decided here. The actor is
-- the session user, whom the database has authenticated. who is a claim of the reader's
-- machine ("alice@desk7"), and is stored as a claim.
CREATE FUNCTION record_audit_query(
    event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    machine text := left(regexp_replace(who, '[[:cntrl:]()]', '?', 'g'), 128);
    reading uuid := gen_random_uuid(); -- a stream of its own: no auditor waits for another, and none names it
BEGIN
    IF of_tenant !~ '^([a-z0-9][a-z0-9-]{0,62})?$' OR length(what) > 64 OR length(by_filter) > 4096
        OR num_nulls(event_id, of_tenant, who, what, by_filter, personal, shown) > 0 THEN
        RAISE EXCEPTION 'this is no reading of the log' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM public.commit_safely(); -- as the owner, because the auditors' role may not
    INSERT INTO public.events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
    VALUES (event_id, of_tenant, reading, 1, 'audit.queried.v1', of_patient,
        json_strip_nulls(json_build_object('command', what, 'filter', by_filter, 'patient', of_patient,
            'personal', personal, 'count', shown))::text,
        json_build_object('actor', json_build_object('kind', 'operator', 'id', session_user, 'machine', machine))::text,
        clock_timestamp());
    RETURN reading;
END $$;

-- For the owner, when the sequence has a fault. Appends wait meanwhile. It repairs the
-- sequence, and opens the positions of events that were passed over: the sequencer then finds
-- them, and places them at the end of the log. It returns their number.
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

-- The first of two steps that only sequence_events calls, with the lock on the row. A gap can
-- still be filled by a session that held the lock that INSERT takes on events when the gap was
-- noted, and holds it now. If all of those have known transaction ids, it waits only for them.
-- A prepared transaction may have got another name meanwhile.
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

-- Places events of late transactions in old gaps, a limited number of gaps at a time. A gap
-- without a late transaction is closed. Until all are looked through, nothing else is placed.
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

-- The only function that moves the sequencer's row and extends the log (D52). No argument
-- decides the place of an event. The lock elects one caller; astray is NULL for the others.
-- Each statement has a snapshot of its own, later than the last sequencer's commit. Their
-- plans are kept, because planning takes longer than execution, and must use indexes, because
-- they may be made while the tables are empty.
--
-- The lowest positions come first. Nothing is placed once a late transaction has ended,
-- because its events come first. A caller that is late itself, and may be in the middle of an
-- INSERT, has not ended, although a snapshot shows a transaction its own writes. A settled gap
-- is closed if nothing was found in it, or becomes old while there are late transactions.
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
    PERFORM public.commit_safely(), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
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

-- Moves the sequencer's row into the history of the database, and returns the head of the log
-- (D49). The event about it has just been appended: version n of its stream. It is placed at
-- once, in front of all others that are not in the log yet. Their positions are lower, so they
-- are in a gap, and come next. Deliveries for all of those are given up, unless the caller has
-- missed nothing.
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

-- The signer publishes a checkpoint (D77). Its role may only do this: the function accepts
-- only a checkpoint that fits the tables, and keeps the newest of each day. It returns the
-- reason of a refusal, and NULL if it is stored. It checks no signature: readers of a
-- checkpoint do.
CREATE FUNCTION publish_checkpoint(of_tenant text, of_kind int, of_epoch int, of_size bigint, of_note text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts  text[];
    newest record;
    today  date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    parts := regexp_match(of_note, '^([^\n]+/log/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,10})\n([0-9]{1,18})\n[A-Za-z0-9+/]{43}=\n(?:left [0-9]{1,10} [0-9]{1,18} [A-Za-z0-9+/]{43}=\n){0,16})\n(?:— [^ +\n]+ [A-Za-z0-9+/]+=*\n)+$');
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

-- Numbers each new line. A writer never waits for another: if another transaction is
-- numbering, its lines stay in access_waiting. A line that has a number may be signed, so its
-- commit waits for the disk, and for the standbys that the primary waits for.
CREATE FUNCTION number_new_calls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last  bigint;
    lines bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM line) THEN
        RETURN NULL;
    END IF;
    PERFORM public.commit_safely();
    SELECT idx INTO last FROM public.access_head FOR UPDATE SKIP LOCKED;
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

-- Numbers lines of access_waiting. It returns how many it has numbered: 0 if none is left, or
-- if another transaction is numbering. It finds lines by the index, whatever the statistics of
-- the tables are.
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
    WITH found AS (
        DELETE FROM public.access_waiting WHERE request_id IN (SELECT request_id FROM public.access_waiting ORDER BY request_id LIMIT most) RETURNING request_id)
    SELECT array_agg(request_id) INTO ids FROM found;
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
-- +goose StatementEnd

CREATE TRIGGER access_record_number AFTER INSERT ON access_record
    REFERENCING NEW TABLE AS line FOR EACH STATEMENT EXECUTE FUNCTION number_new_calls();

-- Rights ---------------------------------------------------------------------------------

-- Only the owner makes functions in this schema: Postgres prefers one with exactly these types
-- to its own for any range. For the same reason the functions above qualify every name with
-- its schema.
REVOKE CREATE ON SCHEMA public FROM PUBLIC, frontdesk_app, frontdesk_audit, frontdesk_signer;
GRANT USAGE ON SCHEMA public TO frontdesk_app, frontdesk_audit;

-- The serving role adds events with drawn positions, changes none, and moves the log only by
-- the functions.
GRANT SELECT ON schema_support, events, log, sequencer, old_gaps, open_gaps, history, sequence_fault TO frontdesk_app;
GRANT INSERT (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed) ON events TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    feed_offsets, parked_events,
    practices, applications, application_callbacks, endpoint_grants, enablements, authorisations, intakes, closures,
    note_templates, teams, sites, rooms, displays, display_sights,
    patients, record_restrictions, broken_glass, record_entries, appointments, timeline, inbox, erasure_requests,
    answers, webhooks, signing_keys, deliveries,
    staff, staff_links, staff_passkeys, passkey_rules, sign_ins,
    staff_sessions, staff_devices, staff_passkey_uses, staff_challenges, staff_sign_in_steps, sign_in_tries
    TO frontdesk_app;
GRANT SELECT, INSERT, DELETE ON patient_searches, saved_filters, uploads, attachments, signing_key_secrets, staff_passwords, source_keys, tree_tail TO frontdesk_app;
GRANT UPDATE (named) ON uploads TO frontdesk_app;
GRANT UPDATE (patient) ON personal_keys, attachments TO frontdesk_app; -- both move with their request (D83)
GRANT SELECT, INSERT ON upload_chunks, delivered, access_record, tree_tiles, personal_keys TO frontdesk_app;
GRANT SELECT, INSERT (id) ON master_keys TO frontdesk_app; -- the owner rotates
GRANT SELECT, INSERT, UPDATE, DELETE ON master_key_holders TO frontdesk_app;
GRANT SELECT ON erasure_finality TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE ON trees TO frontdesk_app;
GRANT SELECT, UPDATE ON erasures TO frontdesk_app; -- FOR KEY SHARE needs UPDATE; erasures_final refuses it
GRANT SELECT, UPDATE ON prover TO frontdesk_app;
GRANT SELECT ON delivery_log, archives, access_log, access_head, access_waiting, archived_trees, checkpoints TO frontdesk_app;

-- Auditors read everything except secrets for signing in and signing.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO frontdesk_audit;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO frontdesk_audit;
REVOKE ALL ON signing_key_secrets, patient_searches, source_keys, sign_in_tries,
    staff_passwords, staff_sessions, staff_devices, staff_passkey_uses, staff_challenges, staff_sign_in_steps
    FROM frontdesk_audit;

-- A role that may not execute a function also cannot make a trigger of it.
REVOKE ALL ON FUNCTION refuse_change(), keep_master_keys(), erasure_clock(), erase_by_event(), keep_files(), keep_attachments(), commit_safely(), synchronous_standbys(),
    record_audit_query(uuid, text, text, text, text, uuid, boolean, bigint),
    mend_sequence(), note_writers(), place_old_events(int), sequence_events(int, boolean),
    begin_epoch(uuid, int, int, boolean), declare_epoch(uuid, int, int),
    publish_checkpoint(text, int, int, bigint, text), number_new_calls(), number_calls(int)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION commit_safely(), synchronous_standbys(), sequence_events(int, boolean),
    begin_epoch(uuid, int, int, boolean), number_calls(int) TO frontdesk_app;
GRANT EXECUTE ON FUNCTION record_audit_query(uuid, text, text, text, text, uuid, boolean, bigint) TO frontdesk_app, frontdesk_audit;
GRANT EXECUTE ON FUNCTION publish_checkpoint(text, int, int, bigint, text) TO frontdesk_signer;
