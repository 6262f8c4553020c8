-- +goose Up

-- Which password of a member of staff counts: the log names it, by an id that
-- says nothing. NULL: they cannot sign in.
ALTER TABLE staff ADD COLUMN credential uuid;

-- What signing in needs and the log does not hold. Auditors may not read it.

-- Hashes, written before the append that makes them count.
CREATE TABLE staff_passwords (
    tenant     text NOT NULL,
    staff      uuid NOT NULL,
    credential uuid NOT NULL,
    hash       text NOT NULL, -- argon2id, in the PHC form
    PRIMARY KEY (tenant, staff, credential)
);

-- Who is signed in. A session is good while its member of staff is active and
-- has the password that it was begun with.
CREATE TABLE staff_sessions (
    token_hash   bytea       PRIMARY KEY, -- SHA-256; who reads the table cannot use it
    tenant       text        NOT NULL,
    staff        uuid        NOT NULL,
    credential   uuid        NOT NULL,
    signed_in_at timestamptz NOT NULL,
    seen_at      timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX staff_sessions_age ON staff_sessions (signed_in_at);

-- Tries to sign in since the last that succeeded, of one account from one source or from
-- everywhere. The mark hides all of them: an address is somebody's home, and people type
-- passwords where usernames belong. There need not be such an account. The keys of marks
-- are lost in a crash, so the table is, too, and is in no WAL and no base backup.
CREATE UNLOGGED TABLE sign_in_tries (
    mark         bytea       PRIMARY KEY, -- HMAC-SHA-256 with a key in source_keys
    tries        int         NOT NULL,
    last_at      timestamptz NOT NULL,
    locked_until timestamptz NOT NULL
);
CREATE INDEX sign_in_tries_age ON sign_in_tries (last_at);

GRANT SELECT, INSERT, DELETE ON staff_passwords TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON staff_sessions, sign_in_tries TO frontdesk_app;
REVOKE ALL ON staff_passwords, staff_sessions, sign_in_tries FROM frontdesk_audit;

-- +goose Down
DROP TABLE staff_passwords, staff_sessions, sign_in_tries;
ALTER TABLE staff DROP COLUMN credential;
