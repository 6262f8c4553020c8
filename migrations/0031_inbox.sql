-- +goose Up

-- Read model, behind the feed: the requests of each practice as staff see them in lists.
CREATE TABLE inbox (
    tenant       text        NOT NULL,
    request      uuid        NOT NULL,
    patient      uuid        NOT NULL,
    type         text        NOT NULL,
    urgent       boolean     NOT NULL,
    by_proxy     boolean     NOT NULL,
    files        int         NOT NULL,
    submitted_at timestamptz NOT NULL,
    holder       uuid,
    done_at      timestamptz,
    in_error     boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, request)
);

-- One for each tab of the inbox, in its order, and one for a patient's requests.
CREATE INDEX inbox_new ON inbox (tenant, type, urgent, submitted_at, request) WHERE done_at IS NULL AND holder IS NULL;
CREATE INDEX inbox_mine ON inbox (tenant, holder, type, urgent, submitted_at, request) WHERE done_at IS NULL AND holder IS NOT NULL;
CREATE INDEX inbox_open ON inbox (tenant, type, urgent, submitted_at, request) WHERE done_at IS NULL AND holder IS NOT NULL;
CREATE INDEX inbox_done ON inbox (tenant, type, urgent, done_at, request) WHERE done_at IS NOT NULL;
CREATE INDEX inbox_patient ON inbox (tenant, patient, submitted_at, request);

GRANT SELECT, INSERT, UPDATE, DELETE ON inbox TO frontdesk_app;
GRANT SELECT ON inbox TO frontdesk_audit;

-- The key of a request goes to the patient to whom the request is linked (D83).
GRANT UPDATE (patient) ON personal_keys TO frontdesk_app;

-- +goose Down
REVOKE UPDATE (patient) ON personal_keys FROM frontdesk_app;
DROP TABLE inbox;
