package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Authorisations keeps who lets which application act for them, and until when.
type Authorisations struct{}

// Name returns the permanent name.
func (Authorisations) Name() string { return "authorisations.v1" }

// Project keeps a row for each authorisation until it is revoked. One that
// has run out stays: whoever asks compares the time.
func (Authorisations) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case authorisation.Granted:
		do(`INSERT INTO authorisations (tenant, application, staff, patient, expires_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant, application, staff, patient) DO UPDATE SET expires_at = excluded.expires_at`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient, e.ExpiresAt)
	case authorisation.Revoked:
		do(`DELETE FROM authorisations WHERE tenant = $1 AND application = $2 AND staff = $3 AND patient = $4`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient)
	case patient.Erased:
		do(`DELETE FROM authorisations WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}

// GivenAuthorisation is an authorisation as a page shows it.
type GivenAuthorisation struct {
	Application     application.ID
	ApplicationName string
	Enabled         bool // for the practice; if false, the authorisation is of no use
	Username        string
	StaffName       string
	Patient         patient.ID // zero for a standing authorisation
	ExpiresAt       time.Time
}

// Scoped reports whether the authorisation is for one patient only.
func (g GivenAuthorisation) Scoped() bool { return g.Patient != patient.ID{} }

// GivenAuthorisations answers who lets which application act for them now. It leaves
// out staff who have left, because their authorisations count for nothing.
type GivenAuthorisations struct{ DB Querier }

const givenAuthorisations = `
SELECT u.application, a.name, EXISTS (SELECT FROM enablements e WHERE e.tenant = u.tenant AND e.application = u.application),
	s.username, s.name, u.patient, u.expires_at
FROM authorisations u
JOIN applications a ON a.application = u.application
JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff AND s.active
WHERE u.tenant = $1 AND u.expires_at > $2 AND (u.staff = $3) = $4
ORDER BY a.name, s.username, u.expires_at, u.application, u.patient
LIMIT $5`

// By lists at most limit authorisations that a member of staff has given.
func (g GivenAuthorisations) By(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]GivenAuthorisation, error) {
	return g.list(ctx, tenant, now, member, true, limit)
}

// ByOthers lists at most limit authorisations that everybody else at the practice
// has given.
func (g GivenAuthorisations) ByOthers(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]GivenAuthorisation, error) {
	return g.list(ctx, tenant, now, member, false, limit)
}

func (g GivenAuthorisations) list(ctx context.Context, tenant string, now time.Time, member staff.ID, own bool, limit int) ([]GivenAuthorisation, error) {
	rows, _ := g.DB.Query(ctx, givenAuthorisations, tenant, now, member, own, limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[GivenAuthorisation])
	if err != nil {
		return nil, fmt.Errorf("list authorisations: %w", err)
	}
	return found, nil
}

// Rights answers what a claim has a right to. It asks the read models that are kept at
// once, in one query and with no cache, so that disabling, revoking and expiry hold for
// the very next call on every replica (D15).
type Rights struct{ DB Querier }

// rightsOfApplication has one row, and none if the application is unknown. A call
// without a user needs no staff and no authorisations.
const rightsOfApplication = `
SELECT a.jwks_url,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $3 AND g.mode = $4)
FROM applications a
WHERE a.application = $2`

// rightsOfUser has one row for each current authorisation, and one row without any if
// there is none. Staff who have left have no authorisations (D14), but are still
// found.
const rightsOfUser = `
SELECT a.jwks_url,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $3 AND g.mode = $4),
	s.staff, u.patient, u.expires_at
FROM applications a
LEFT JOIN staff s ON s.tenant = $1 AND s.username = $5
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = $2 AND u.staff = s.staff AND s.active AND u.expires_at > $6
WHERE a.application = $2`

// Rights returns the rights of a claim at an instant. An unknown application has
// none.
func (r Rights) Rights(ctx context.Context, c access.Claim, now time.Time) (rights access.Rights, err error) {
	app := pgtype.UUID{Bytes: c.Application.UUID, Valid: true} // pgx's own types spare each call reflection
	asked := []any{c.Tenant, app, string(c.Endpoint.Name), string(c.Mode)}
	if c.Mode == application.ApplicationRestricted {
		err = r.ofApplication(ctx, &rights, asked)
	} else {
		err = r.ofUser(ctx, &rights, append(asked, c.Username, now))
	}
	if err != nil {
		return access.Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return rights, nil
}

func (r Rights) ofApplication(ctx context.Context, rights *access.Rights, asked []any) error {
	err := r.DB.QueryRow(ctx, rightsOfApplication, asked...).Scan(&rights.JWKSURL, &rights.Enabled, &rights.Granted)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	rights.Known = err == nil
	return err
}

func (r Rights) ofUser(ctx context.Context, rights *access.Rights, asked []any) error {
	rows, _ := r.DB.Query(ctx, rightsOfUser, asked...)
	defer rows.Close()
	for rows.Next() {
		if err := scanUser(rights, rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scanUser(r *access.Rights, row pgx.CollectableRow) error {
	var member, about pgtype.UUID
	var expiresAt pgtype.Timestamptz
	err := row.Scan(&r.JWKSURL, &r.Enabled, &r.Granted, &member, &about, &expiresAt)
	if err != nil {
		return err
	}
	r.Known = true
	if member.Valid {
		r.Staff.UUID = member.Bytes
	}
	switch {
	case !about.Valid:
	case about.Bytes == uuid.Nil:
		r.AuthorisedUntil = expiresAt.Time.UTC()
	default:
		r.Patients = append(r.Patients, patient.ID{UUID: about.Bytes})
	}
	return nil
}
