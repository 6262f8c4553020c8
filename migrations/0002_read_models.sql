-- +goose Up

-- Read models kept in the append itself: what a check reads is never late.

CREATE TABLE practices (
    tenant    text PRIMARY KEY,
    name      text NOT NULL,
    time_zone text NOT NULL
);

CREATE TABLE applications (
    application    uuid PRIMARY KEY,
    name           text    NOT NULL,
    jwks_url       text    NOT NULL,
    patient_scoped boolean NOT NULL DEFAULT false
);

CREATE TABLE application_callbacks (
    application uuid NOT NULL,
    callback    text NOT NULL,
    PRIMARY KEY (application, callback)
);

CREATE TABLE endpoint_grants (
    application uuid NOT NULL,
    endpoint    text NOT NULL,
    mode        text NOT NULL,
    PRIMARY KEY (application, endpoint, mode)
);

CREATE TABLE enablements (
    tenant      text NOT NULL,
    application uuid NOT NULL,
    PRIMARY KEY (tenant, application)
);

CREATE TABLE staff (
    tenant        text    NOT NULL,
    staff         uuid    NOT NULL,
    username      text    NOT NULL,
    name          text    NOT NULL,
    email         text    NOT NULL,
    administrator boolean NOT NULL,
    active        boolean NOT NULL DEFAULT true,
    PRIMARY KEY (tenant, staff),
    CONSTRAINT staff_username UNIQUE (tenant, username)
);

-- A standing authorisation has the patient 00000000-….
CREATE TABLE authorisations (
    tenant      text        NOT NULL,
    application uuid        NOT NULL,
    staff       uuid        NOT NULL,
    patient     uuid        NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, application, staff, patient)
);

CREATE TABLE patients (
    tenant     text NOT NULL,
    patient    uuid NOT NULL,
    name       text NOT NULL,
    birth_date text NOT NULL,
    restricted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, patient)
);

CREATE TABLE record_restrictions (
    tenant  text NOT NULL,
    patient uuid NOT NULL,
    staff   uuid NOT NULL,
    PRIMARY KEY (tenant, patient, staff)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON
    practices, applications, application_callbacks, endpoint_grants, enablements, staff,
    authorisations, patients, record_restrictions
    TO frontdesk_app;

-- +goose Down
DROP TABLE practices, applications, application_callbacks, endpoint_grants, enablements, staff,
    authorisations, patients, record_restrictions;
