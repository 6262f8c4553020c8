-- +goose Up

-- How long a call took, in milliseconds (D95). It is not in the line's leaf: trees, exports
-- and archives are what they were. Lines of before, and those that a process of the release
-- before writes, have none.
ALTER TABLE access_record ADD COLUMN took_ms int;

-- Where a delivery went, without the query of the address. It stays when the application has
-- another address. Deliveries of before have none.
ALTER TABLE deliveries ADD COLUMN url text;
ALTER TABLE delivered ADD COLUMN url text;

CREATE OR REPLACE VIEW delivery_log AS
SELECT event, application, idx, kind, tenant, destination, status, reason, http_status, kid, happened_at, claimed_at, finished_at, connect_ms, answer_ms, url
FROM deliveries
UNION ALL
SELECT event, application, idx, kind, tenant, destination, status, reason, NULL, NULL, happened_at, NULL, finished_at, NULL, NULL, url
FROM delivered;

-- +goose Down
DROP VIEW delivery_log;
CREATE VIEW delivery_log AS
SELECT event, application, idx, kind, tenant, destination, status, reason, http_status, kid, happened_at, claimed_at, finished_at, connect_ms, answer_ms
FROM deliveries
UNION ALL
SELECT event, application, idx, kind, tenant, destination, status, reason, NULL, NULL, happened_at, NULL, finished_at, NULL, NULL
FROM delivered;
GRANT SELECT ON delivery_log TO frontdesk_app, frontdesk_audit;
ALTER TABLE delivered DROP COLUMN url;
ALTER TABLE deliveries DROP COLUMN url;
ALTER TABLE access_record DROP COLUMN took_ms;
