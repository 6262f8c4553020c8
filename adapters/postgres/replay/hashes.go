package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Hash is the stored hash of a password, for which the log has another digest. It
// allows no sign-in (D56).
type Hash struct {
	Tenant string   `json:"tenant"`
	Staff  staff.ID `json:"staff"`
}

// mostHashes limits the reported ones.
const mostHashes = 100

// strangeHashes compares the stored hashes with their digests in the log, if it has
// them. A hash without a password in the log is invalid and ignored: an abandoned
// change of a password leaves one. The digest of a password never changes, so the
// shadow's position does not matter.
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
