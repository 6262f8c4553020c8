-- +goose Up

-- When the application last had its key set read again; NULL if it never did. Each call
-- reads it with its rights, and no process uses a set that it has read before.
ALTER TABLE applications ADD COLUMN key_set_reread_at timestamptz;

-- +goose Down
ALTER TABLE applications DROP COLUMN key_set_reread_at;
