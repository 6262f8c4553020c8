package app_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// minimal answers a patient's request as a service of one table would: it verifies the token
// and its claims, asks for rights and reception, encrypts the answers under a key of their
// own, and stores both with a line of the access record in one transaction. It has no
// streams and no order of a log, proofs, feed, read models, strict JSON or idempotency.
func minimal(b *testing.B, service running, integrator bearertest.Application) http.Handler {
	b.Helper()
	_, err := service.admin.Exec(b.Context(), `
		CREATE TABLE minimal_keys (holder uuid PRIMARY KEY, wrapped bytea NOT NULL);
		CREATE TABLE minimal (id uuid PRIMARY KEY, tenant text NOT NULL, patient uuid NOT NULL, sealed bytea NOT NULL, at timestamptz NOT NULL);
		CREATE TABLE minimal_record (id uuid PRIMARY KEY, token bytea NOT NULL, at timestamptz NOT NULL)`)
	must(b, err)
	keys, err := bearer.ReadKeySet(integrator.JWKS())
	must(b, err)
	wraps, err := sealing.MasterKey{1}.Wrapper()
	must(b, err)
	m := minimalHandler{service.admin, keys, access.Claim{
		Tenant: "elm-street", Application: integrator.ID, Mode: application.ApplicationRestricted,
		Endpoint: access.Endpoint{Name: access.CreatePatientRequest, NamesPatient: true, AsksReception: true},
	}, wraps}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := m.submit(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprintf(w, `{"patientRequestId":%q}`, id)
	})
}

type minimalHandler struct {
	pool  *pgxpool.Pool
	keys  bearer.KeySet
	claim access.Claim
	wraps sealing.Wrapper
}

func (m minimalHandler) submit(r *http.Request) (id uuid.UUID, err error) {
	ctx, now, bearerToken := r.Context(), clock.System(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	token, err := bearer.Parse(bearerToken, now)
	if err != nil {
		return id, err
	}
	if err := token.Verify(m.keys); err != nil {
		return id, err
	}
	rights, err := projections.Rights{DB: m.pool}.Rights(ctx, m.claim, now)
	if err != nil {
		return id, err
	}
	if err := access.Judge(access.Caller{Claim: m.claim, Rights: rights}, nil); err != nil {
		return id, err
	}
	receptions, err := projections.Availability{DB: m.pool}.Receptions(ctx, m.claim.Tenant)
	if err != nil {
		return id, err
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return id, err
	}
	var body struct {
		Patient uuid.UUID `json:"patientId"`
	}
	if err := json.Unmarshal(text, &body); err != nil {
		return id, err
	}
	if err := receptions.Reception(request.Medical).Availability(now).Err(); err != nil {
		return id, err
	}
	id = event.NewID()
	key, of := sealing.NewKey(), event.Holder{Kind: event.OfRequest, ID: id}
	sealed, err := key.Seal(of, []string{string(text)}, event.Stored{ID: id})
	if err != nil {
		return id, err
	}
	hash := sha256.Sum256([]byte(bearerToken))
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO minimal_keys (holder, wrapped) VALUES ($1, $2)`, id, m.wraps.Wrap(key, m.claim.Tenant, of))
	batch.Queue(`INSERT INTO minimal (id, tenant, patient, sealed, at) VALUES ($1, $2, $3, $4, $5)`, id, m.claim.Tenant, body.Patient, sealed, now)
	batch.Queue(`INSERT INTO minimal_record (id, token, at) VALUES ($1, $2, $3)`, id, hash[:], now)
	return id, m.pool.SendBatch(ctx, batch).Close()
}
