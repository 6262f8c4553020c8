-- +goose Up

-- Read models kept in the append itself.

-- Where an application is told of events of one kind. What is sent to one
-- destination keeps its order and shares its slots.
CREATE TABLE webhooks (
    application uuid NOT NULL,
    event       text NOT NULL,
    url         text NOT NULL,
    destination uuid NOT NULL,
    PRIMARY KEY (application, event)
);

CREATE TABLE signing_keys (
    kid       text        PRIMARY KEY,
    n         text        NOT NULL,
    e         text        NOT NULL,
    state     text        NOT NULL,
    since     timestamptz NOT NULL,
    staged_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (state) WHERE state = 'active';

-- Private keys, sealed under the master key, until they sign no more. They are
-- no read model: nothing in the log could bring them back.
CREATE TABLE signing_key_secrets (
    kid        text        PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL
);

-- What is to be sent, is being sent, and was sent: ids only. The body is built
-- when it is sent. pending → sending → delivered | failed | unknown, or
-- pending → expired | withdrawn.
CREATE TABLE deliveries (
    event       uuid        NOT NULL, -- the jti
    application uuid        NOT NULL,
    idx         bigint      NOT NULL, -- the event's place in the log
    tenant      text        NOT NULL,
    kind        text        NOT NULL,
    subject     uuid        NOT NULL, -- what keeps its order: a patient or an appointment
    destination uuid        NOT NULL,
    happened_at timestamptz NOT NULL,
    not_after   timestamptz NOT NULL,
    status      text        NOT NULL DEFAULT 'pending',
    attempt     uuid,                 -- who claimed it, so that nobody else can say how it ended
    claimed_at  timestamptz,
    unknown_at  timestamptz,          -- when a sender that says nothing is taken for crashed
    finished_at timestamptz,
    reason      text,
    http_status int,
    kid         text,
    connect_ms  int,                  -- until there was a connection
    answer_ms   int,                  -- until the first byte of an answer
    PRIMARY KEY (event, application)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX deliveries_lane ON deliveries (destination, idx) WHERE status = 'pending';
CREATE INDEX deliveries_order ON deliveries (destination, tenant, subject, idx) WHERE finished_at IS NULL; -- no condition on status, so that it is not taken for a way to find what is pending
CREATE INDEX deliveries_age ON deliveries (not_after) WHERE status = 'pending';
CREATE INDEX deliveries_sending ON deliveries (unknown_at) WHERE status = 'sending';
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- Events that a consumer could not handle and went past.
CREATE TABLE parked_events (
    consumer  text        NOT NULL,
    idx       bigint      NOT NULL,
    event     uuid        NOT NULL,
    name      text        NOT NULL,
    reason    text        NOT NULL,
    parked_at timestamptz NOT NULL,
    PRIMARY KEY (consumer, idx)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, signing_keys, deliveries, parked_events TO frontdesk_app;
GRANT SELECT, INSERT, DELETE ON signing_key_secrets TO frontdesk_app;
REVOKE ALL ON signing_key_secrets FROM frontdesk_audit;

-- +goose Down
DROP TABLE webhooks, signing_keys, signing_key_secrets, deliveries, parked_events;
