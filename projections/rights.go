package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/access"
	"frontdesk/domain/patient"
)

// Rights is what claims have a right to, out of the read models that are kept
// at once, in one query, so that disabling, revoking and expiry hold for the
// very next call on every replica (D15).
type Rights struct{ DB Querier }

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
func (r Rights) Rights(ctx context.Context, c access.Claim, now time.Time) (access.Rights, error) {
	app := pgtype.UUID{Bytes: c.Application.UUID, Valid: true} // pgx's own types spare each call reflection
	rows, _ := r.DB.Query(ctx, rightsOf, c.Tenant, app, c.Username, string(c.Endpoint.Name), string(c.Mode), now)
	defer rows.Close()
	var rights access.Rights
	for rows.Next() {
		if err := scanRights(&rights, rows); err != nil {
			return access.Rights{}, fmt.Errorf("read rights: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return access.Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return rights, nil
}

func scanRights(r *access.Rights, row pgx.CollectableRow) error {
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
