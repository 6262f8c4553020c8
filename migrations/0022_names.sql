-- +goose Up

-- What a patient is called stands in the events of their stream, sealed, and in no read
-- model. While the database is not sealed yet, the columns are filled for processes of the
-- release before, which read them.
ALTER TABLE patients ALTER COLUMN name SET DEFAULT '', ALTER COLUMN birth_date SET DEFAULT '';

-- +goose Down
ALTER TABLE patients ALTER COLUMN name DROP DEFAULT, ALTER COLUMN birth_date DROP DEFAULT;
