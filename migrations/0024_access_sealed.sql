-- +goose Up

-- Whom a call was made for, by its act claim, encrypted: a box of the practitioner. The claim
-- in act has [personal] where they are named. Lines of before have no box.
ALTER TABLE access_record ADD COLUMN sealed bytea;

-- +goose Down
ALTER TABLE access_record DROP COLUMN sealed;
