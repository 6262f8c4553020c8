package commands_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// house is a practice whose staff are invited, reset, deactivated and reactivated.
type house struct {
	*story
	desk  commands.Desk
	clock *commandtest.Clock
	kept  passwords
	app   application.ID
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{story: newStory(t), clock: commandtest.NewClock(commandtest.Noon), kept: passwords{}}
	h.desk = commands.Desk{Store: h, Staff: h, Links: h, Passwords: h.kept, Now: h.clock.Now, AuthorisationLifetime: 12 * time.Hour}
	h.app = h.application(t, "Referrals", false)
	return h
}

// does takes an intent that gives a link, and checks which events it has appended.
func does[T any](t *testing.T, h *house, intent func(commands.Desk, context.Context, T) (commands.Invitation, error), given T, want ...string) commands.Invitation {
	t.Helper()
	before := len(h.Log())
	invitation, err := intent(h.desk, t.Context(), given)
	must(t, err)
	h.appended(t, before, want...)
	if invitation.Secret == "" || invitation.Username != "kim" || !invitation.ExpiresAt.Equal(h.clock.Now().Add(72*time.Hour)) {
		t.Errorf("the invitation is %+v", invitation)
	}
	return invitation
}

func (h *house) appended(t *testing.T, before int, want ...string) {
	t.Helper()
	var got []string
	for _, e := range h.Log()[before:] {
		got = append(got, e.EventName())
	}
	if !slices.Equal(got, want) {
		t.Errorf("appended %q, want %q", got, want)
	}
}

func (h *house) accept(t *testing.T, i commands.Invitation) (commands.Accepted, error) {
	t.Helper()
	return h.desk.AcceptLink(t.Context(), commands.AcceptLink{Tenant: elm, Secret: i.Secret, Password: newPassword})
}

func (h *house) wantUsedUp(t *testing.T, i commands.Invitation) {
	t.Helper()
	before, kept := len(h.Log()), len(h.kept)
	if _, err := h.accept(t, i); !errors.Is(err, staff.ErrLink) || len(h.Log()) != before || len(h.kept) != kept {
		t.Errorf("the link is good: %v, %d events, %d passwords", err, len(h.Log())-before, len(h.kept)-kept)
	}
}

func (h *house) authorise(t *testing.T) {
	t.Helper()
	_, err := h.desk.GrantUserAuthorisation(t.Context(), commands.GrantUserAuthorisation{Tenant: elm, Application: h.app, Username: "kim"})
	must(t, err)
}

var inviteKim = commands.InviteStaff{
	Tenant: elm, Username: "kim", Name: "Kim", Email: "kim@elm.example", Roles: staff.Roles{staff.PrivacyOfficer, staff.Receptionist},
}

const registeredV1, rolesSetV1, invitedV1, passwordSetV1 = "staff.registered.v1", "staff.roles-set.v1", "staff.invited.v1", "staff.password-set.v1"

func TestInvitedStaffChoosePassword_D64(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := does(t, h, commands.Desk.InviteStaff, inviteKim, registeredV1, rolesSetV1, invitedV1)
	again := commands.InviteAgain{Tenant: elm, Username: "kim"}
	second := does(t, h, commands.Desk.InviteAgain, again, invitedV1)
	h.wantUsedUp(t, first)

	short := commands.AcceptLink{Tenant: elm, Secret: second.Secret, Password: "short"}
	if _, err := h.desk.AcceptLink(t.Context(), short); !errors.Is(err, staff.ErrPasswordShort) {
		t.Errorf("got %v, want %v", err, staff.ErrPasswordShort)
	}
	elsewhere := commands.AcceptLink{Tenant: oak, Secret: second.Secret, Password: newPassword}
	if _, err := h.desk.AcceptLink(t.Context(), elsewhere); !errors.Is(err, staff.ErrLink) {
		t.Errorf("another practice's link is good: %v", err)
	}
	before := len(h.Log())
	in, err := h.accept(t, second)
	must(t, err)
	h.appended(t, before, passwordSetV1)
	set, _ := h.Log()[before].Event.(staff.PasswordSet)
	if in.Staff != second.Staff || in.Username != "kim" || in.Name != "Kim" || h.kept[in.Credential] != newPassword || set.Credential != in.Credential {
		t.Errorf("the password is %+v's, and the log has %+v", in, set)
	}
	if by := h.Log()[before].Metadata; by.Actor != event.Staff(in.Staff.UUID) {
		t.Errorf("the log says that %s did it", by.Actor)
	}
	if set.Link != staff.DigestOfLink(second.Secret) {
		t.Errorf("the log does not say by which link it was chosen: %v", set.Link)
	}
	h.wantUsedUp(t, second)
	if _, err := h.desk.InviteAgain(t.Context(), again); !errors.Is(err, staff.ErrSignsInSoFar) {
		t.Errorf("got %v, want %v", err, staff.ErrSignsInSoFar)
	}
}

func TestALinkEndsAfterThreeDays_D64(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	link := does(t, h, commands.Desk.InviteStaff, inviteKim, registeredV1, rolesSetV1, invitedV1)
	h.clock.Pass(72*time.Hour - time.Microsecond)
	if _, err := h.desk.Links.Holder(t.Context(), elm, staff.DigestOfLink(link.Secret), h.clock.Now()); err != nil {
		t.Error(err)
	}
	h.clock.Pass(time.Microsecond)
	h.wantUsedUp(t, link)
}

func TestResetEndsSessionsOfPassword_D64(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.accept(t, does(t, h, commands.Desk.InviteStaff, inviteKim, registeredV1, rolesSetV1, invitedV1))
	must(t, err)
	h.authorise(t)

	reset := commands.ResetStaff{Tenant: elm, Username: "kim"}
	first := does(t, h, commands.Desk.ResetStaff, reset, "staff.reset.v1", "user-authorisation.revoked.v1")
	if revoked, _ := h.Log()[len(h.Log())-1].Event.(authorisation.Revoked); revoked.Reason != authorisation.PasswordReset {
		t.Errorf("the reason is %q", revoked.Reason)
	}
	if len(h.kept) != 0 {
		t.Errorf("passwords are kept: %v", h.kept)
	}
	second := does(t, h, commands.Desk.ResetStaff, reset, "staff.reset.v1")
	h.wantUsedUp(t, first)
	_, err = h.accept(t, second)
	must(t, err)
}

func TestReactivationRestoresNoAccess_D14(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.accept(t, does(t, h, commands.Desk.InviteStaff, inviteKim, registeredV1, rolesSetV1, invitedV1))
	must(t, err)
	h.authorise(t)
	back := commands.ReactivateStaff{Tenant: elm, Username: "kim"}
	before := len(h.Log())
	if _, err := h.desk.ReactivateStaff(t.Context(), back); !errors.Is(err, staff.ErrActive) || len(h.Log()) != before || len(h.kept) != 1 {
		t.Errorf("who has not left has come back: %v, %d events", err, len(h.Log())-before)
	}
	must(t, h.desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "kim"}))

	link := does(t, h, commands.Desk.ReactivateStaff, back, "user-authorisation.revoked.v1", "staff.reactivated.v1", invitedV1)
	revoked, _ := h.Log()[len(h.Log())-3].Event.(authorisation.Revoked)
	if revoked.Reason != authorisation.Left || len(h.kept) != 0 {
		t.Errorf("the reason is %q, kept are %v", revoked.Reason, h.kept)
	}
	_, err = h.accept(t, link)
	must(t, err)
}

func TestRolesAreSetByCommand_D63(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.member(t, elm, "kim")
	to := func(username string, roles ...staff.Role) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s, Staff: s}.SetStaffRoles(ctx, commands.SetStaffRoles{Tenant: elm, Username: username, Roles: roles})
		}
	}
	s.play(t,
		step{"unknown user", to("nobody"), nil, staff.ErrUnknown},
		step{"no such role", to("kim", "administrator"), nil, staff.ErrUnknownRole},
		step{"in order", to("kim", staff.Manager, staff.Clinician), []event.Event{staff.RolesSet{Roles: staff.Roles{staff.Clinician, staff.Manager}}}, nil},
		step{"as they are", to("kim", staff.Clinician, staff.Manager), nil, nil},
		step{"none", to("kim"), []event.Event{staff.RolesSet{Roles: staff.Roles{}}}, nil},
	)
}

func TestInvalidInvitationsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for want, change := range map[error]func(*commands.InviteStaff){
		practice.ErrUnknown:      func(c *commands.InviteStaff) { c.Tenant = unknownName },
		staff.ErrInvalidUsername: func(c *commands.InviteStaff) { c.Username = "" },
		staff.ErrUnknownRole:     func(c *commands.InviteStaff) { c.Roles = staff.Roles{"owner"} },
	} {
		c := inviteKim
		change(&c)
		before := len(h.Log())
		got, err := h.desk.InviteStaff(t.Context(), c)
		if !errors.Is(err, want) || got != (commands.Invitation{}) || len(h.Log()) != before {
			t.Errorf("got %+v, %v, want %v", got, err, want)
		}
	}
}

// A password change during a reset does not undo the reset.
func TestAPasswordThatHasEndedIsNotReplaced_D64(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in, err := h.accept(t, does(t, h, commands.Desk.InviteStaff, inviteKim, registeredV1, rolesSetV1, invitedV1))
	must(t, err)
	change := commands.ChangePassword{Tenant: elm, Staff: in.Staff, Shown: in.Credential, Password: oldPassword}
	before := len(h.Log())
	_, err = h.desk.ChangePassword(t.Context(), change)
	must(t, err)
	h.appended(t, before, passwordSetV1)

	before = len(h.Log())
	if _, err := h.desk.ChangePassword(t.Context(), change); !errors.Is(err, staff.ErrPasswordEnded) || len(h.Log()) != before {
		t.Errorf("got %v, %d events, want %v", err, len(h.Log())-before, staff.ErrPasswordEnded)
	}
}
