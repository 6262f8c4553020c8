-- +goose Up

-- Browsers that staff have signed in with. Tries from such a browser are counted
-- here, apart from those of strangers. A browser has one token for a practice, and a
-- row for each of the staff who have signed in there. A row counts while its member
-- of staff is active and has the password that it was made with.
CREATE TABLE staff_devices (
    token_hash   bytea       NOT NULL, -- SHA-256; who reads the table cannot use it
    tenant       text        NOT NULL,
    staff        uuid        NOT NULL,
    credential   uuid        NOT NULL,
    tries        int         NOT NULL DEFAULT 0, -- since the last sign-in
    signed_in_at timestamptz NOT NULL,
    PRIMARY KEY (token_hash, staff)
);
CREATE INDEX staff_devices_member ON staff_devices (tenant, staff, signed_in_at);
CREATE INDEX staff_devices_age ON staff_devices (signed_in_at);

-- A member of staff has a bounded number of sessions.
CREATE INDEX staff_sessions_member ON staff_sessions (tenant, staff, signed_in_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON staff_devices TO frontdesk_app;
REVOKE ALL ON staff_devices FROM frontdesk_audit;

-- +goose Down
DROP TABLE staff_devices;
DROP INDEX staff_sessions_member;
