-- +goose Up

-- What a member of staff may do on the practice's pages. NULL while nobody has set it:
-- whoever was registered as administrator is manager then, and others have no role.
ALTER TABLE staff ADD COLUMN roles text[];

-- Links by which members of staff choose a password. Only the newest of each is here. Who
-- reads the table cannot use it, because it holds the SHA-256 of the secret.
CREATE TABLE staff_links (
    tenant     text        NOT NULL,
    link       bytea       NOT NULL,
    staff      uuid        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, link)
);
CREATE UNIQUE INDEX staff_links_member ON staff_links (tenant, staff);

-- How many managers a practice has left. An append that would leave none is refused by the
-- constraint's name.
CREATE DOMAIN managers_left AS bigint CONSTRAINT staff_last_manager CHECK (VALUE > 0);

-- A session can be named without its secret, was confirmed when somebody last proved who
-- they are (NULL: when they signed in), and says which browser it is in.
ALTER TABLE staff_sessions
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN confirmed_at timestamptz,
    ADD COLUMN browser text NOT NULL DEFAULT '';

GRANT SELECT, INSERT, UPDATE, DELETE ON staff_links TO frontdesk_app;

-- +goose Down
DROP DOMAIN managers_left;
DROP TABLE staff_links;
ALTER TABLE staff DROP COLUMN roles;
ALTER TABLE staff_sessions DROP COLUMN id, DROP COLUMN confirmed_at, DROP COLUMN browser;
