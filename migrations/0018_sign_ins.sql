-- +goose Up

-- With what the marks of sources are made on one day (UTC): those in the log, and those
-- of sign_in_tries. Old keys are deleted, and nothing may bring them back: an unlogged
-- table is neither in the WAL nor in a base backup. After a crash, or on another server,
-- a new key is made.
CREATE UNLOGGED TABLE source_keys (
    purpose text  NOT NULL, -- "log" or "tries"
    day     date  NOT NULL,
    key     bytea NOT NULL, -- 256 random bits
    PRIMARY KEY (purpose, day)
);

-- When each member of staff last signed in.
CREATE TABLE last_sign_ins (
    tenant text        NOT NULL,
    staff  uuid        NOT NULL,
    at     timestamptz NOT NULL,
    PRIMARY KEY (tenant, staff)
);

GRANT SELECT, INSERT, DELETE ON source_keys TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON last_sign_ins TO frontdesk_app;
REVOKE ALL ON source_keys FROM frontdesk_audit;

-- +goose Down
DROP TABLE source_keys, last_sign_ins;
