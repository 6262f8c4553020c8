-- +goose Up

-- What is personal in an event, encrypted: boxes, one for each holder.
ALTER TABLE events ADD COLUMN sealed bytea;
ALTER TABLE events ALTER COLUMN sealed SET STORAGE EXTERNAL;

-- Which master keys wrap the keys below: an identifier, never the key.
CREATE TABLE master_keys (
    id         text        PRIMARY KEY,
    since      timestamptz NOT NULL,
    retired_at timestamptz
);
CREATE UNIQUE INDEX master_keys_only ON master_keys ((true)) WHERE retired_at IS NULL;

-- The keys of persons and requests, wrapped with a master key. Whoever destroys one erases
-- what was sealed under it. A request's key belongs to the patient to whom the request is
-- linked. Kind 0 is a key of the practice, under which practitioners have their identifiers.
CREATE TABLE personal_keys (
    tenant      text     NOT NULL,
    kind        smallint NOT NULL,
    holder      uuid     NOT NULL,
    patient     uuid,
    fingerprint bytea    NOT NULL,
    master      text     NOT NULL REFERENCES master_keys,
    wrapped     bytea    NOT NULL,
    CONSTRAINT personal_keys_holder PRIMARY KEY (tenant, kind, holder)
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX personal_keys_patient ON personal_keys (tenant, patient) WHERE patient IS NOT NULL;

-- Whose data was erased. Nobody appends anything about them any more.
CREATE TABLE erasures (
    tenant    text        NOT NULL,
    kind      smallint    NOT NULL,
    holder    uuid        NOT NULL,
    erased_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, kind, holder)
);
CREATE INDEX erasures_erased ON erasures (erased_at);

-- Since when what is written is sealed; NULL while processes of an older release may read it.
-- A database that holds no events is sealed from the beginning.
CREATE TABLE sealing (
    one   boolean     PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz
);
INSERT INTO sealing (since) SELECT now() WHERE NOT EXISTS (SELECT FROM events);
INSERT INTO sealing DEFAULT VALUES ON CONFLICT DO NOTHING;

GRANT INSERT (sealed) ON events TO frontdesk_app;
GRANT SELECT, INSERT ON master_keys TO frontdesk_app;
GRANT SELECT, INSERT, DELETE ON personal_keys TO frontdesk_app;
-- FOR KEY SHARE asks for UPDATE, too.
GRANT SELECT, INSERT, UPDATE ON erasures TO frontdesk_app;
GRANT SELECT ON sealing TO frontdesk_app;
GRANT SELECT ON master_keys, personal_keys, erasures, sealing TO frontdesk_audit;

-- +goose Down
DROP TABLE sealing, erasures, personal_keys, master_keys;
ALTER TABLE events DROP COLUMN sealed;
