-- +goose Up

-- The sweeper looks at an upload once: it goes, or an event names it, which never ends.
ALTER TABLE uploads ADD COLUMN named boolean NOT NULL DEFAULT false;
GRANT UPDATE (named) ON uploads TO frontdesk_app;

-- +goose Down
ALTER TABLE uploads DROP COLUMN named;
