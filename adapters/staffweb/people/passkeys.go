package people

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// rulePage is the form of the roles that need a passkey.
type rulePage struct {
	pagekit.FormErrors
	Done    bool // the roles have been set
	Days    int  // how long a member can work without one
	Roles   []roleChoice
	Weakens bool        // the member may take a role off
	Here    bool        // passkeys can belong to the address of the pages
	Changes []ruleEntry // newest first
	Seen    int
	Token   string
}

// ruleEntry is one change of the rule.
type ruleEntry struct{ Roles, By, At string }

// ruleToken is the purpose of the form.
const ruleToken = "passkey-rule"

// passkeyRule shows which roles need a passkey.
func (s *Section) passkeyRule(r *pagekit.Request) error {
	return s.showRule(r, http.StatusOK, rulePage{Done: r.Form.Has("done")})
}

func (s *Section) showRule(r *pagekit.Request, status int, page rulePage) error {
	rule, err := commands.Load[staff.PasskeyRule](r.Context(), s.Desk.Store, staff.PasskeyRuleStream(r.Tenant))
	if err != nil {
		return err
	}
	member, err := commands.Load[staff.Member](r.Context(), s.Desk.Store, staff.StreamOf(r.Tenant, r.Session.Staff))
	if err != nil {
		return err
	}
	if page.Weakens, err = member.MaySetPasskeyRule(); err != nil {
		return err
	}
	if page.Roles == nil {
		page.Roles, page.Seen = choices(rule.Roles()), rule.Version
	}
	if page.Changes, err = s.ruleChanges(r); err != nil {
		return err
	}
	page.Here, page.Token = s.TakesPasskeys(), r.Token(ruleToken)
	page.Days = int(staff.PasskeyPeriod.Hours() / 24)
	s.Show(r, pagekit.View{Template: templates["passkeys"], Status: status, Title: page.PageTitle("Roles that need a passkey"), Content: page})
	return nil
}

// ruleChanges lists who changed the rule, so that no manager weakens it unseen.
func (s *Section) ruleChanges(r *pagekit.Request) (rows []ruleEntry, err error) {
	changes, err := s.PasskeyRules.Changes(r.Context(), r.Tenant, time.Time{})
	if err != nil {
		return nil, err
	}
	names := map[uuid.UUID]string{}
	for _, c := range changes {
		by, err := s.ActorName(r, names, c.By)
		if err != nil {
			return nil, err
		}
		rows = append(rows, ruleEntry{pagekit.RoleList(c.Roles), by, pagekit.Moment(c.At, r.Practice.Zone)})
	}
	return rows, nil
}

// setPasskeyRule sets the roles, after recent reauthentication.
func (s *Section) setPasskeyRule(r *pagekit.Request) error {
	seen, err := strconv.Atoi(r.Form.Get("seen"))
	page := rulePage{Roles: choices(ticked(r)), Seen: seen}
	switch {
	case err != nil || seen < 0:
		return pagekit.ErrUnreadable
	case !r.HasToken(ruleToken):
		status, wrong := r.Unsent(firstRole)
		page.FormErrors = wrong
		return s.showRule(r, status, page)
	case !s.Confirmed(r):
		return s.ConfirmForm(r, "people/passkeys")
	}
	err = s.Desk.SetPasskeyRule(r.StaffContext(), commands.SetPasskeyRule{Tenant: r.Tenant, Roles: ticked(r), Seen: seen})
	refusal, refused := errors.AsType[*fault.Error](err)
	if refused && refusal.Kind != fault.Unavailable {
		page.FormErrors = pagekit.FormError(firstRole, refusal.Detail)
		if errors.Is(err, staff.ErrRuleChanged) {
			page.Roles = nil // those of the colleague
		}
		return s.showRule(r, http.StatusBadRequest, page)
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/people/passkeys?done")
}
