-- +goose Up

-- When the patient of an appointment arrived; NULL unless they have.
ALTER TABLE appointments ADD COLUMN arrived_at timestamptz;

-- +goose Down
ALTER TABLE appointments DROP COLUMN arrived_at;
