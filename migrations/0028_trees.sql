-- +goose Up

-- The trees of which checkpoints are signed: one for the events of each practice, and one
-- for those of none (tenant ''); the same for the access record. The prover builds them
-- behind the log. Nobody trusts what is here: a proof is checked against a signed root, and
-- everything can be built again (D76).
CREATE TABLE trees (
    tenant text     NOT NULL,
    kind   smallint NOT NULL, -- 1 events, 2 lines of the access record
    size   bigint   NOT NULL,
    PRIMARY KEY (tenant, kind)
) WITH (fillfactor = 50);

-- Leaves that fill no tile yet, as many in a row as came at once.
CREATE TABLE tree_tail (
    tenant    text     NOT NULL,
    kind      smallint NOT NULL,
    n         bigint   NOT NULL, -- the number of the first of them in their tree, from 0
    first_idx bigint   NOT NULL, -- its idx: that of the event, or of the line
    hashes    bytea    NOT NULL,
    PRIMARY KEY (tenant, kind, n)
);

-- Full tiles, of 256 leaves each. Every other hash of a tree is made of their roots.
CREATE TABLE tree_tiles (
    tenant    text     NOT NULL,
    kind      smallint NOT NULL,
    n         bigint   NOT NULL, -- the tile's number in its tree, from 0
    first_idx bigint   NOT NULL, -- of its first leaf
    root      bytea    NOT NULL,
    hashes    bytea    NOT NULL, -- of its leaves
    PRIMARY KEY (tenant, kind, n)
);
CREATE INDEX tree_tiles_idx ON tree_tiles (tenant, kind, first_idx);
ALTER TABLE tree_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL; -- hashes cannot be compressed

-- How far the prover has come in the log, and in the access record.
CREATE TABLE prover (
    kind smallint PRIMARY KEY,
    idx  bigint   NOT NULL
) WITH (fillfactor = 10);
INSERT INTO prover (kind, idx) VALUES (1, 0), (2, 0);

-- What the signer has signed: of each tree the newest checkpoint of each day and epoch.
CREATE TABLE checkpoints (
    tenant    text        NOT NULL,
    kind      smallint    NOT NULL,
    epoch     int         NOT NULL,
    day       date        NOT NULL, -- UTC
    size      bigint      NOT NULL,
    note      text        NOT NULL, -- the signed note, with witnesses' cosignatures
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, kind, epoch, day)
);

GRANT SELECT, INSERT, UPDATE ON trees TO frontdesk_app;
GRANT SELECT, INSERT, DELETE ON tree_tail TO frontdesk_app;
GRANT SELECT, INSERT ON tree_tiles TO frontdesk_app;
GRANT SELECT, UPDATE ON prover TO frontdesk_app;
GRANT SELECT ON checkpoints TO frontdesk_app;
GRANT SELECT ON trees, tree_tail, tree_tiles, prover, checkpoints TO frontdesk_audit;

-- +goose Down
DROP TABLE checkpoints, prover, tree_tiles, tree_tail, trees;
