-- +goose Up

-- The access record is kept in partitions, so that what is old can be taken out a month
-- at a time (D72). Request ids are UUIDv7: they begin with their time. The table of before
-- becomes the DEFAULT partition, so that nobody has to look through it now. `frontdesk
-- retain` makes the partitions of months, and gives the table of before its bounds.
ALTER TABLE access_record RENAME TO access_record_default;
ALTER INDEX access_record_pkey RENAME TO access_record_default_pkey;
ALTER INDEX access_record_tenant RENAME TO access_record_default_tenant;
ALTER INDEX access_record_patient RENAME TO access_record_default_patient;
ALTER INDEX access_record_at RENAME TO access_record_default_at;
ALTER INDEX access_record_application RENAME TO access_record_default_application;
ALTER INDEX access_record_staff RENAME TO access_record_default_staff;
ALTER INDEX access_record_failed RENAME TO access_record_default_failed;

CREATE TABLE access_record (LIKE access_record_default INCLUDING DEFAULTS, PRIMARY KEY (request_id)) PARTITION BY RANGE (request_id);
CREATE INDEX access_record_tenant ON access_record (tenant, request_id);
CREATE INDEX access_record_patient ON access_record (patient, request_id) WHERE patient IS NOT NULL;
CREATE INDEX access_record_at ON access_record USING brin (at);
CREATE INDEX access_record_application ON access_record (application, request_id);
CREATE INDEX access_record_staff ON access_record (staff, request_id) WHERE staff IS NOT NULL;
CREATE INDEX access_record_failed ON access_record (request_id) WHERE status >= 500;
ALTER TABLE access_record ATTACH PARTITION access_record_default DEFAULT; -- the indexes are those that it has

-- A partition needs the trigger, too: a statement that names it goes past the whole.
CREATE TRIGGER access_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_record
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

REVOKE ALL ON access_record_default FROM frontdesk_app; -- who writes to the whole needs no right to a part
GRANT SELECT, INSERT ON access_record TO frontdesk_app;

-- Who was told of what, and how that ended, when the delivery itself is forgotten. The same
-- event always has the same id, which begins with its time, so that it meets itself in
-- its partition.
CREATE TABLE delivered (
    event       uuid        NOT NULL,
    application uuid        NOT NULL,
    idx         bigint      NOT NULL,
    tenant      text        NOT NULL,
    kind        text        NOT NULL,
    patient     uuid,                 -- whom the event concerns
    destination uuid        NOT NULL,
    happened_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    status      text        NOT NULL,
    reason      text,
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

-- Every delivery that is known, whether it is still in the queue's table or not.
CREATE VIEW delivery_log AS
SELECT event, application, idx, kind, tenant, destination, status, reason, http_status, kid, happened_at, claimed_at, finished_at, connect_ms, answer_ms
FROM deliveries
UNION ALL
SELECT event, application, idx, kind, tenant, destination, status, reason, NULL, NULL, happened_at, NULL, finished_at, NULL, NULL
FROM delivered;

GRANT SELECT, INSERT ON delivered TO frontdesk_app;
GRANT SELECT ON delivery_log TO frontdesk_app;

-- What was taken out of the database, and where it is. A partition that is detached stands
-- here at once; its lines are in the file, and its table is gone, when archived_at says so.
CREATE TABLE archives (
    name        text        PRIMARY KEY, -- of the partition; its file has it, too
    record      text        NOT NULL,    -- access_record or delivered
    since       timestamptz,             -- NULL: from the beginning
    until       timestamptz NOT NULL,    -- exclusive
    detached_at timestamptz NOT NULL,
    archived_at timestamptz,
    lines       bigint,
    sha256      text                     -- of the file
);
GRANT SELECT ON archives TO frontdesk_app;
GRANT SELECT ON access_record, access_record_default, delivered, delivered_default, delivery_log, archives TO frontdesk_audit;

-- +goose Down
DROP VIEW delivery_log;
DROP TABLE delivered, archives;
ALTER TABLE access_record DETACH PARTITION access_record_default;
INSERT INTO access_record_default SELECT * FROM access_record;
DROP TABLE access_record;
ALTER TABLE access_record_default RENAME TO access_record;
ALTER INDEX access_record_default_pkey RENAME TO access_record_pkey;
ALTER INDEX access_record_default_tenant RENAME TO access_record_tenant;
ALTER INDEX access_record_default_patient RENAME TO access_record_patient;
ALTER INDEX access_record_default_at RENAME TO access_record_at;
ALTER INDEX access_record_default_application RENAME TO access_record_application;
ALTER INDEX access_record_default_staff RENAME TO access_record_staff;
ALTER INDEX access_record_default_failed RENAME TO access_record_failed;
GRANT SELECT, INSERT ON access_record TO frontdesk_app;
