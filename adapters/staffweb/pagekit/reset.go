package pagekit

import (
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// ResetRequest is a waiting request for a reset of an account, as pages show it.
type ResetRequest struct {
	ID          staff.ResetID
	By          string
	Asked, From string // when it was requested, and from when one person is enough
}

// ResetRequest returns nil if the request does not wait.
func (s *Site) ResetRequest(r *Request, asked projections.AskedReset) (*ResetRequest, error) {
	if !asked.Waits(s.Now()) {
		return nil, nil //nolint:nilnil // a page shows none
	}
	by, zone := "An operator of this service", r.Practice.Zone
	if asked.By != (staff.ID{}) {
		_, name, err := s.Desk.Staff.NamesOf(r.Context(), r.Tenant, asked.By)
		if err != nil {
			return nil, err
		}
		by = name
	}
	return &ResetRequest{asked.Reset, by, Moment(asked.At, zone), Moment(asked.At.Add(staff.ResetWait), zone)}, nil
}
