-- +goose Up

-- The screens in waiting rooms that may show the board of a site. One that was removed has
-- no row. Who reads the table can use neither the link nor the session, because it holds
-- their SHA-256.
CREATE TABLE displays (
    tenant       text        NOT NULL,
    display      uuid        NOT NULL,
    name         text        NOT NULL,
    site         uuid        NOT NULL,
    naming       text        NOT NULL,
    link         bytea,               -- NULL once a screen has opened it
    link_until   timestamptz NOT NULL,
    session      bytea,               -- NULL until then
    connected_at timestamptz,
    PRIMARY KEY (tenant, display)
);

-- When each display last asked for its board. The log does not hold that.
CREATE TABLE display_sights (
    tenant  text        NOT NULL,
    display uuid        NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, display)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON displays, display_sights TO frontdesk_app;

-- +goose Down
DROP TABLE displays, display_sights;
