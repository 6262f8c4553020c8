package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Claim is what a token claims and a call asks for, before anything is
// proven: what [Rights] are looked up by.
type Claim struct {
	Tenant      string
	Application application.ID
	Username    string // the sub of a user-restricted token; "" otherwise
	Endpoint    application.Endpoint
	Mode        application.Mode
}

// Rights is everything that steps 4 and 5 of D1 need to know about a [Claim],
// as it stands at one instant.
type Rights struct {
	Known           bool // the application is registered
	JWKSURL         string
	Enabled         bool         // for the tenant (§5.6)
	Granted         bool         // the endpoint in the mode (§5.6)
	Staff           staff.ID     // the member of staff of that username, who may have left; zero if there was none
	AuthorisedUntil time.Time    // end of the current standing authorisation; zero when there is none
	Patients        []patient.ID // patients of the current patient-scoped authorisations
}

// Judge answers [Claim]s out of the read models that are kept at once, in one
// query, so that disabling, revoking and expiry hold for the very next call on
// every replica (D15).
type Judge struct{ DB Querier }

// One row for each current authorisation; one without any, if there is none.
// Who has left has none (D14), and is still who was named.
const rightsOf = `
SELECT a.jwks_url,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $4 AND g.mode = $5),
	s.staff, u.patient, u.expires_at
FROM applications a
LEFT JOIN staff s ON s.tenant = $1 AND s.username = $3
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = $2 AND u.staff = s.staff AND s.active AND u.expires_at > $6
WHERE a.application = $2`

// Rights are those of a claim at an instant; an unknown application has none.
func (j Judge) Rights(ctx context.Context, c Claim, now time.Time) (Rights, error) {
	app := pgtype.UUID{Bytes: c.Application.UUID, Valid: true} // pgx's own types spare each call reflection
	rows, _ := j.DB.Query(ctx, rightsOf, c.Tenant, app, c.Username, string(c.Endpoint), string(c.Mode), now)
	defer rows.Close()
	var rights Rights
	for rows.Next() {
		if err := rights.scan(rows); err != nil {
			return Rights{}, fmt.Errorf("read rights: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return rights, nil
}

func (r *Rights) scan(row pgx.CollectableRow) error {
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
