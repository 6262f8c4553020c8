-- +goose Up

-- Who has opened a restricted record by a reason, which stands in the event, sealed.
CREATE TABLE broken_glass (
    tenant    text        NOT NULL,
    event     uuid        NOT NULL,
    patient   uuid        NOT NULL,
    staff     uuid        NOT NULL,
    broken_at timestamptz NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant, event)
);
CREATE INDEX broken_glass_patient ON broken_glass (tenant, patient, staff, until);
CREATE INDEX broken_glass_newest ON broken_glass (tenant, broken_at, event);

GRANT SELECT, INSERT, UPDATE, DELETE ON broken_glass TO frontdesk_app;

-- The patients whom a search has found, so that its pages go on. What was typed is in no
-- table. The rows help nobody after a crash.
CREATE UNLOGGED TABLE patient_searches (
    session uuid        NOT NULL, -- of the member of staff who searched
    search  uuid        NOT NULL,
    found   uuid[]      NOT NULL,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (session, search)
);
CREATE INDEX patient_searches_age ON patient_searches (made_at);

GRANT SELECT, INSERT, DELETE ON patient_searches TO frontdesk_app;
REVOKE ALL ON patient_searches FROM frontdesk_audit;

-- +goose Down
DROP TABLE broken_glass, patient_searches;
