-- +goose Up

-- Which erasure it was, where the log says so, and which key was destroyed: the ledger, which
-- is kept outside of the database, is compared with this.
ALTER TABLE erasures
    ADD COLUMN erasure     uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ADD COLUMN stream      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ADD COLUMN version     int  NOT NULL DEFAULT 0,
    ADD COLUMN fingerprint text NOT NULL DEFAULT ''; -- in hexadecimal; '' if there was no key

-- The serving role may lock rows, for which Postgres asks for UPDATE, and change none.
CREATE TRIGGER erasures_final BEFORE UPDATE ON erasures
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Whose answers these are. Those of before are gone within a day.
ALTER TABLE answers ADD COLUMN patient uuid;

-- +goose Down
ALTER TABLE answers DROP COLUMN patient;
DROP TRIGGER erasures_final ON erasures;
ALTER TABLE erasures DROP COLUMN erasure, DROP COLUMN stream, DROP COLUMN version, DROP COLUMN fingerprint;
