package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// Rights reads the rights of a claim. It reads the read models that change with the
// append, in one query and with no cache. So disabling, revoking and expiry hold for
// the very next call on every replica (D15).
type Rights struct{ DB Querier }

// Rights are read by application and, if a call has one, by user. If the endpoint needs
// the times at which the practice accepts requests, the same query reads them, because
// another one would cost as much again.
//
// There is a row for each current authorisation and request type, and no row if the
// application is unknown. Staff who have left have no authorisations (D14), but are
// still found. A call without a user needs no staff and no authorisations.
const (
	ofClaim = `
SELECT a.jwks_url, a.key_set_reread_at,
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = $2),
	EXISTS (SELECT FROM endpoint_grants g WHERE g.application = $2 AND g.endpoint = $3 AND g.mode = $4),`
	withoutStaff = `
	NULL::uuid, NULL::uuid, NULL::timestamptz`
	ofUser = `
	s.staff, u.patient, u.expires_at`
	fromApplication = `
FROM applications a`
	joinUser = `
LEFT JOIN staff s ON s.tenant = $1 AND s.username = $5
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = $2 AND u.staff = s.staff AND s.active AND u.expires_at > $6`
	joinReceptions = `
LEFT JOIN practices p ON p.tenant = $1` + ofPractice
	whereApplication = `
WHERE a.application = $2`

	rightsOfApplication   = ofClaim + withoutStaff + fromApplication + whereApplication
	rightsOfUser          = ofClaim + ofUser + fromApplication + joinUser + whereApplication
	receptionsApplication = ofClaim + withoutStaff + `,` + receptionColumns + fromApplication + joinReceptions + whereApplication
	receptionsUser        = ofClaim + ofUser + `,` + receptionColumns + fromApplication + joinUser + joinReceptions + whereApplication
)

// Rights returns the rights of a claim at an instant, with the receptions of the
// practice if the endpoint needs them. An unknown application has none.
func (r Rights) Rights(ctx context.Context, c access.Claim, now time.Time) (rights access.Rights, err error) {
	app := pgtype.UUID{Bytes: c.Application.UUID, Valid: true} // pgx's own types avoid reflection on each call
	asked := []any{c.Tenant, app, string(c.Endpoint.Name), string(c.Mode)}
	sql, withReceptions := rightsOfApplication, receptionsApplication
	if c.Mode != application.ApplicationRestricted {
		sql, withReceptions = rightsOfUser, receptionsUser
		asked = append(asked, c.Username, now)
	}
	if c.Endpoint.AsksReception {
		sql = withReceptions
	}
	rows, _ := r.DB.Query(ctx, sql, asked...)
	defer rows.Close()
	for rows.Next() && err == nil {
		err = scanRights(&rights, rows, c.Endpoint.AsksReception)
	}
	if err := cmp.Or(err, rows.Err()); err != nil {
		return access.Rights{}, fmt.Errorf("read rights: %w", err)
	}
	return rights, nil
}

func scanRights(r *access.Rights, row pgx.Row, withReception bool) error {
	var member, about pgtype.UUID
	var reread, expiresAt pgtype.Timestamptz
	var intake intakeRow
	columns := []any{&r.JWKSURL, &reread, &r.Enabled, &r.Granted, &member, &about, &expiresAt}
	if withReception {
		columns = append(columns, intake.columns()...)
	}
	if err := row.Scan(columns...); err != nil {
		return err
	}
	r.Known = true
	if reread.Valid {
		r.KeySetReread = reread.Time.UTC()
	}
	if member.Valid {
		r.Staff.UUID = member.Bytes
	}
	switch {
	case !about.Valid:
	case about.Bytes == uuid.Nil:
		r.AuthorisedUntil = expiresAt.Time.UTC()
	case !slices.Contains(r.Patients, patient.ID{UUID: about.Bytes}):
		r.Patients = append(r.Patients, patient.ID{UUID: about.Bytes})
	}
	return intake.addTo(&r.Receptions)
}
