-- +goose Up

-- How each practice takes requests of each type. A type without a row is taken at
-- all hours.
CREATE TABLE intakes (
    tenant       text        NOT NULL,
    request_type text        NOT NULL,
    switched_off boolean     NOT NULL DEFAULT false,
    paused       boolean     NOT NULL DEFAULT false,
    paused_until timestamptz,                       -- NULL: until it is resumed
    hours        text[]      NOT NULL DEFAULT '{}', -- like 'mon 08:00-12:30', in the practice's time zone
    PRIMARY KEY (tenant, request_type)
);

-- When each practice is closed for every type.
CREATE TABLE closures (
    tenant text PRIMARY KEY,
    spans  tstzmultirange NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON intakes, closures TO frontdesk_app;

-- +goose Down
DROP TABLE intakes, closures;
