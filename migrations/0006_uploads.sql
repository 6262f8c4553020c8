-- +goose Up

-- Files sent with patient requests. They are stored while they arrive, before
-- the event that names them, in short transactions of their own; those that
-- no event has named after a day are swept away.
CREATE TABLE uploads (
    tenant     text        NOT NULL,
    upload     uuid        NOT NULL,
    started_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, upload)
);
CREATE INDEX uploads_started ON uploads (started_at);

-- What is in them, 256 KiB a row. Nobody may change a row, and a row is deleted only
-- together with its upload.
CREATE TABLE upload_chunks (
    tenant text  NOT NULL,
    upload uuid  NOT NULL,
    n      int   NOT NULL,
    data   bytea NOT NULL,
    PRIMARY KEY (tenant, upload, n),
    CONSTRAINT upload_chunks_upload FOREIGN KEY (tenant, upload) REFERENCES uploads ON DELETE CASCADE
);
-- Pictures and documents are compressed already. To compress them again would take more
-- time than everything else.
ALTER TABLE upload_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

-- Read model, at once: which files events name. Because of the reference, a file that is
-- named cannot be swept, and a file that was swept cannot be named.
CREATE TABLE attachments (
    tenant     text   NOT NULL,
    attachment uuid   NOT NULL,
    request    uuid   NOT NULL,
    patient    uuid   NOT NULL,
    size       bigint NOT NULL,
    sha256     bytea  NOT NULL,
    PRIMARY KEY (tenant, attachment),
    CONSTRAINT attachments_upload FOREIGN KEY (tenant, attachment) REFERENCES uploads (tenant, upload)
);
CREATE INDEX attachments_by_id ON attachments (attachment);

-- Read model, at once: what calls with an Idempotency-Key were answered.
CREATE TABLE answers (
    tenant      text        NOT NULL,
    key         bytea       NOT NULL,
    body        bytea       NOT NULL,
    made        uuid        NOT NULL,
    answered_at timestamptz NOT NULL,
    CONSTRAINT answers_key PRIMARY KEY (tenant, key)
);

GRANT SELECT, INSERT, DELETE ON uploads TO frontdesk_app;
GRANT SELECT, INSERT ON upload_chunks TO frontdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON attachments, answers TO frontdesk_app;

-- +goose Down
DROP TABLE answers, attachments, upload_chunks, uploads;
