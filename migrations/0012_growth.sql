-- +goose NO TRANSACTION
-- +goose Up

-- What is asked of a table that grows for ever is asked by index. Nobody who writes waits
-- while these are made.

-- A practice's events, for auditors and for what explains a call.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_tenant ON events (tenant, position);

-- When events were recorded. They are hardly out of order, so that this index takes nearly
-- no room and nearly no time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_recorded ON events USING brin (recorded_at) WITH (pages_per_range = 32, autosummarize = on);

-- An application's calls, those for a member of staff, and those that failed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS access_record_application ON access_record (application, request_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS access_record_staff ON access_record (staff, request_id) WHERE staff IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS access_record_failed ON access_record (request_id) WHERE status >= 500;

-- A practice's deliveries, and those that did not arrive.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_tenant ON deliveries (tenant, event);
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_undelivered ON deliveries (status, event)
    WHERE status IN ('failed', 'expired', 'withdrawn', 'unknown');

-- What an authorisation is looked up for is its end: those that have ended stay.
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorisations_current ON authorisations (tenant, application, staff, expires_at);

-- The call-ins of a site since midnight: those that nobody took back stay.
CREATE INDEX CONCURRENTLY IF NOT EXISTS call_ins_by_day ON call_ins (tenant, site, called_in_at);

-- Answers that are too old.
CREATE INDEX CONCURRENTLY IF NOT EXISTS answers_age ON answers (answered_at);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS answers_age;
DROP INDEX CONCURRENTLY IF EXISTS call_ins_by_day;
DROP INDEX CONCURRENTLY IF EXISTS authorisations_current;
DROP INDEX CONCURRENTLY IF EXISTS deliveries_undelivered;
DROP INDEX CONCURRENTLY IF EXISTS deliveries_tenant;
DROP INDEX CONCURRENTLY IF EXISTS access_record_failed;
DROP INDEX CONCURRENTLY IF EXISTS access_record_staff;
DROP INDEX CONCURRENTLY IF EXISTS access_record_application;
DROP INDEX CONCURRENTLY IF EXISTS events_recorded;
DROP INDEX CONCURRENTLY IF EXISTS events_tenant;
