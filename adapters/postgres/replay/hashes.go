package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Hash is the stored hash of somebody's password, to which the log knows another digest.
// Nobody signs in with it (D56).
type Hash struct {
	Tenant string   `json:"tenant"`
	Staff  staff.ID `json:"staff"`
}

// mostHashes bounds those that are reported.
const mostHashes = 100

// strangeHashes compares the stored hashes with the digests of the log, where it tells
// them. A hash of no password of the log counts for nothing and is passed by: it is what a
// change of a password leaves behind that was given up on its way. The digest of a
// password never changes, so it does not matter how far the shadow has come.
func (s *Shadow) strangeHashes(ctx context.Context) ([]Hash, error) {
	ofStaff := func(p projections.Projection) bool { return p.Name() == projections.Staff{}.Name() }
	if !slices.ContainsFunc(s.projections, ofStaff) {
		return nil, nil
	}
	rows, _ := s.db.Query(ctx, `
		SELECT p.tenant, p.staff
		FROM `+quoted(live, "staff_passwords")+` p JOIN `+quoted(s.schema, "staff")+` s USING (tenant, staff, credential)
		WHERE sha256(convert_to(p.hash, 'UTF8')) <> s.password_digest
		ORDER BY p.tenant, p.staff LIMIT $1`, mostHashes)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Hash])
	if err != nil {
		return nil, fmt.Errorf("compare hashes of passwords with the log: %w", err)
	}
	return found, nil
}
