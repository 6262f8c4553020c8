-- +goose Up

-- How many patients are missing whom an append takes for granted. Any at all is refused by
-- the constraint's name.
CREATE DOMAIN patients_missing AS bigint CONSTRAINT patients_known CHECK (VALUE = 0);

-- +goose Down
DROP DOMAIN patients_missing;
