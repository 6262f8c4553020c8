package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
)

// Rights answers what a claim has a right to. It asks the read models that are kept at
// once, in one query and with no cache, so that disabling, revoking and expiry hold for
// the very next call on every replica (D15).
type Rights struct{ DB Querier }

// rightsOfUser has one row for each current authorisation, and one row without any if
// there is none. Staff who have left have no authorisations (D14), but are still
// found. It has no row if the application is unknown.
const rightsOfUser = `
SELECT a.jwks_url,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $3 AND g.mode = $4),
	s.staff, u.patient, u.expires_at
FROM applications a
LEFT JOIN staff s ON s.tenant = $1 AND s.username = $5
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = $2 AND u.staff = s.staff AND s.active AND u.expires_at > $6
WHERE a.application = $2`

// rightsOfApplication has the same columns, and one row at most: a call without a user
// needs no staff and no authorisations.
const rightsOfApplication = `
SELECT a.jwks_url,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $3 AND g.mode = $4),
	NULL::uuid, NULL::uuid, NULL::timestamptz
FROM applications a
WHERE a.application = $2`

// Rights returns the rights of a claim at an instant. An unknown application has
// none.
func (r Rights) Rights(ctx context.Context, c access.Claim, now time.Time) (access.Rights, error) {
	sql, args := rightsOf(c, now)
	rows, _ := r.DB.Query(ctx, sql, args...)
	rights, err := readRights(rows)
	if err != nil {
		return access.Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return rights, nil
}

// CallRights answers what the claim of a call has a right to, and what else its endpoint
// asks, in one round trip.
type CallRights struct{ DB Asker }

// Asker is a [Querier] that is asked several questions at once.
type Asker interface {
	Querier
	// Ask asks all questions of a batch in one round trip. What reads an answer is queued
	// with its question. It may be called again, and then reads from the start.
	Ask(ctx context.Context, questions *pgx.Batch) error
}

// Rights returns the rights of a claim at an instant, with the receptions of the
// practice if the endpoint asks.
func (r CallRights) Rights(ctx context.Context, c access.Claim, now time.Time) (access.Rights, error) {
	if !c.Endpoint.AsksReception {
		return Rights{r.DB}.Rights(ctx, c, now)
	}
	var rights access.Rights
	var receptions practice.Receptions
	questions := &pgx.Batch{}
	sql, args := rightsOf(c, now)
	questions.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		rights, err = readRights(rows)
		return err
	})
	questions.Queue(receptionsOf, c.Tenant).Query(func(rows pgx.Rows) (err error) {
		receptions, err = readReceptions(rows)
		return err
	})
	if err := r.DB.Ask(ctx, questions); err != nil {
		return access.Rights{}, fmt.Errorf("read rights and receptions: %w", err)
	}
	rights.Receptions = receptions
	return rights, nil
}

// rightsOf returns the query for the rights of a claim.
func rightsOf(c access.Claim, now time.Time) (sql string, args []any) {
	app := pgtype.UUID{Bytes: c.Application.UUID, Valid: true} // pgx's own types spare each call reflection
	args = []any{c.Tenant, app, string(c.Endpoint.Name), string(c.Mode)}
	if c.Mode == application.ApplicationRestricted {
		return rightsOfApplication, args
	}
	return rightsOfUser, append(args, c.Username, now)
}

// readRights reads the rows of a query for rights, and closes them.
func readRights(rows pgx.Rows) (rights access.Rights, err error) {
	defer rows.Close()
	for rows.Next() {
		if err := scanRights(&rights, rows); err != nil {
			return access.Rights{}, err
		}
	}
	return rights, rows.Err()
}

func scanRights(r *access.Rights, row pgx.Row) error {
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
