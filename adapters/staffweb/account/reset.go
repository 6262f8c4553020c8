package account

import (
	"errors"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
)

// resetNotice is a requested reset of the member's account, and the token of the form that stops it.
type resetNotice struct {
	*pagekit.ResetRequest
	Token string
}

// resetNotice returns nil if no reset of the account is requested.
func (s *Section) resetNotice(r *pagekit.Request) (*resetNotice, error) {
	asked, err := s.People.ResetAsked(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return nil, err
	}
	request, err := s.ResetRequest(r, asked)
	if err != nil || request == nil {
		return nil, err
	}
	return &resetNotice{request, r.Session.FormToken("reset")}, nil
}

// stopReset ends the request for a reset of the member's own account. It needs no
// reauthentication: the owner must be able to stop it in time.
func (s *Section) stopReset(r *pagekit.Request) error {
	if !r.HasToken("reset") {
		return pagekit.ErrStale
	}
	id, ok := parse.ID(r.Form.Get("reset"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	err := s.Desk.WithdrawReset(r.StaffContext(), commands.WithdrawReset{Tenant: r.Tenant, Staff: r.Session.Staff, Reset: staff.ResetID{UUID: id}})
	if err != nil && !errors.Is(err, staff.ErrNoResetRequest) {
		return err
	}
	return r.Redirect(r.Base() + "/account?done=reset-stopped")
}
