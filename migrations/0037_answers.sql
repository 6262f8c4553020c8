-- +goose Up

-- What was answered, byte for byte. NULL where the release before has remembered it: that
-- was a patient request's, and made is its identifier.
ALTER TABLE answers ADD COLUMN answer text;

-- +goose Down
ALTER TABLE answers DROP COLUMN answer;
