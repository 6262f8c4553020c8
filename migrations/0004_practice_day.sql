-- +goose Up

-- Read models kept in the append itself.

CREATE TABLE sites (
    tenant text NOT NULL,
    site   uuid NOT NULL,
    name   text NOT NULL,
    PRIMARY KEY (tenant, site)
);

CREATE TABLE rooms (
    tenant text NOT NULL,
    room   uuid NOT NULL,
    site   uuid NOT NULL,
    name   text NOT NULL,
    PRIMARY KEY (tenant, room)
);

CREATE TABLE appointments (
    tenant       text        NOT NULL,
    appointment  uuid        NOT NULL,
    patient      uuid        NOT NULL,
    site         uuid        NOT NULL,
    starts_at    timestamptz NOT NULL,
    status       text        NOT NULL,
    room         uuid,        -- of the call-in, if one was assigned
    called_in_at timestamptz, -- of the call-in
    PRIMARY KEY (tenant, appointment)
);
CREATE INDEX appointments_by_day ON appointments (tenant, site, starts_at);

-- What is in a patient's care record: the streams whose first events hold it.
CREATE TABLE record_entries (
    tenant      text        NOT NULL,
    patient     uuid        NOT NULL,
    entry       uuid        NOT NULL,
    staff       uuid,        -- who made it, if a member of staff did
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, patient, recorded_at, entry)
);

-- Read models that follow the log.

CREATE TABLE call_ins (
    tenant       text        NOT NULL,
    appointment  uuid        NOT NULL,
    patient      uuid        NOT NULL,
    site         uuid        NOT NULL,
    room         uuid,
    called_in_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, appointment)
);

CREATE TABLE timeline (
    tenant  text        NOT NULL,
    patient uuid        NOT NULL,
    idx     bigint      NOT NULL,
    kind    text        NOT NULL,
    entry   uuid        NOT NULL,
    actor   text        NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, patient, idx)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON sites, rooms, appointments, record_entries, call_ins, timeline
    TO frontdesk_app;

-- +goose Down
DROP TABLE sites, rooms, appointments, record_entries, call_ins, timeline;
