-- +goose NO TRANSACTION
-- +goose Up

-- What the sweeper has to look at.
CREATE INDEX CONCURRENTLY IF NOT EXISTS uploads_unnamed ON uploads (started_at) WHERE NOT named;
DROP INDEX CONCURRENTLY IF EXISTS uploads_started;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS uploads_started ON uploads (started_at);
DROP INDEX CONCURRENTLY IF EXISTS uploads_unnamed;
