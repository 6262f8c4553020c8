-- +goose Up

-- The passkeys of staff, as the log knows them. Nothing here is secret: a public key
-- signs nobody in.
CREATE TABLE staff_passkeys (
    tenant          text        NOT NULL,
    passkey         uuid        NOT NULL,
    staff           uuid        NOT NULL,
    name            text        NOT NULL,
    credential      bytea       NOT NULL,
    public_key      bytea       NOT NULL,
    backup_eligible boolean     NOT NULL,
    sign_count      bigint      NOT NULL, -- when it was added
    transports      text[],
    added_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant, passkey)
);
-- A credential is one member's of a practice.
CREATE UNIQUE INDEX staff_passkeys_credential ON staff_passkeys (tenant, credential);
CREATE INDEX staff_passkeys_member ON staff_passkeys (tenant, staff);

GRANT SELECT, INSERT, UPDATE, DELETE ON staff_passkeys TO frontdesk_app;

-- What signing in with passkeys needs and the log does not hold. Auditors may not read it.

-- When each passkey was last used, and the count that it then signed. A count that goes
-- back is a copy's.
CREATE TABLE staff_passkey_uses (
    tenant     text        NOT NULL,
    staff      uuid        NOT NULL,
    passkey    uuid        NOT NULL,
    sign_count bigint      NOT NULL,
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant, staff, passkey)
) WITH (fillfactor = 50);

-- Challenges that a passkey has signed, until they end. A challenge that nobody has
-- signed is in no table.
CREATE TABLE staff_challenges (
    challenge  bytea       PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX staff_challenges_age ON staff_challenges (expires_at);

-- Whose password was right, and whose passkey is still asked for.
CREATE TABLE staff_sign_in_steps (
    token_hash bytea       PRIMARY KEY, -- SHA-256; who reads the table cannot use it
    tenant     text        NOT NULL,
    staff      uuid        NOT NULL,
    credential uuid        NOT NULL,
    tries      int         NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX staff_sign_in_steps_member ON staff_sign_in_steps (tenant, staff, expires_at);
CREATE INDEX staff_sign_in_steps_age ON staff_sign_in_steps (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON staff_passkey_uses, staff_challenges, staff_sign_in_steps TO frontdesk_app;
REVOKE ALL ON staff_passkey_uses, staff_challenges, staff_sign_in_steps FROM frontdesk_audit;

-- +goose Down
DROP TABLE staff_passkeys, staff_passkey_uses, staff_challenges, staff_sign_in_steps;
