-- +goose NO TRANSACTION
-- +goose Up

-- What is asked of a table that grows for ever is asked by index. Nobody who writes waits
-- while these are made. A migrator that is stopped on the way leaves an index behind that
-- is not complete, so each is dropped first.

-- A practice's events, for auditors and for what explains a call.
DROP INDEX CONCURRENTLY IF EXISTS events_tenant;
CREATE INDEX CONCURRENTLY events_tenant ON events (tenant, position);

-- When events were recorded. They are hardly out of order, so that this index takes nearly
-- no room and nearly no time.
DROP INDEX CONCURRENTLY IF EXISTS events_recorded;
CREATE INDEX CONCURRENTLY events_recorded ON events USING brin (recorded_at) WITH (pages_per_range = 32, autosummarize = on);

-- An application's calls, those for a member of staff, and those that failed.
DROP INDEX CONCURRENTLY IF EXISTS access_record_application;
CREATE INDEX CONCURRENTLY access_record_application ON access_record (application, request_id);
DROP INDEX CONCURRENTLY IF EXISTS access_record_staff;
CREATE INDEX CONCURRENTLY access_record_staff ON access_record (staff, request_id) WHERE staff IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS access_record_failed;
CREATE INDEX CONCURRENTLY access_record_failed ON access_record (request_id) WHERE status >= 500;

-- A practice's deliveries, and those that did not arrive.
DROP INDEX CONCURRENTLY IF EXISTS deliveries_tenant;
CREATE INDEX CONCURRENTLY deliveries_tenant ON deliveries (tenant, event);
DROP INDEX CONCURRENTLY IF EXISTS deliveries_undelivered;
CREATE INDEX CONCURRENTLY deliveries_undelivered ON deliveries (status, event)
    WHERE status IN ('failed', 'expired', 'withdrawn', 'unknown');

-- What an authorisation is looked up for is its end: those that have ended stay.
DROP INDEX CONCURRENTLY IF EXISTS authorisations_current;
CREATE INDEX CONCURRENTLY authorisations_current ON authorisations (tenant, application, staff, expires_at);

-- The call-ins of a site since midnight: those that nobody took back stay.
DROP INDEX CONCURRENTLY IF EXISTS call_ins_by_day;
CREATE INDEX CONCURRENTLY call_ins_by_day ON call_ins (tenant, site, called_in_at);

-- Answers that are too old.
DROP INDEX CONCURRENTLY IF EXISTS answers_age;
CREATE INDEX CONCURRENTLY answers_age ON answers (answered_at);

-- The sweeper looks at an upload once: it goes, or an event names it, which never ends.
ALTER TABLE uploads ADD COLUMN IF NOT EXISTS named boolean NOT NULL DEFAULT false;
GRANT UPDATE (named) ON uploads TO frontdesk_app;
DROP INDEX CONCURRENTLY IF EXISTS uploads_unnamed;
CREATE INDEX CONCURRENTLY uploads_unnamed ON uploads (started_at) WHERE NOT named;
DROP INDEX CONCURRENTLY IF EXISTS uploads_started;

-- +goose Down
CREATE INDEX IF NOT EXISTS uploads_started ON uploads (started_at);
ALTER TABLE uploads DROP COLUMN named;
DROP INDEX answers_age, call_ins_by_day, authorisations_current, deliveries_undelivered, deliveries_tenant,
    access_record_failed, access_record_staff, access_record_application, events_recorded, events_tenant;
