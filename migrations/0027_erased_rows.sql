-- +goose NO TRANSACTION
-- +goose Up

-- What goes with a patient who is erased.
CREATE INDEX CONCURRENTLY IF NOT EXISTS appointments_patient ON appointments (tenant, patient);
CREATE INDEX CONCURRENTLY IF NOT EXISTS call_ins_patient ON call_ins (tenant, patient);
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorisations_patient ON authorisations (tenant, patient);
CREATE INDEX CONCURRENTLY IF NOT EXISTS attachments_patient ON attachments (tenant, patient);
CREATE INDEX CONCURRENTLY IF NOT EXISTS answers_patient ON answers (tenant, patient);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS appointments_patient;
DROP INDEX CONCURRENTLY IF EXISTS call_ins_patient;
DROP INDEX CONCURRENTLY IF EXISTS authorisations_patient;
DROP INDEX CONCURRENTLY IF EXISTS attachments_patient;
DROP INDEX CONCURRENTLY IF EXISTS answers_patient;
