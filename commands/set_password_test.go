package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// passwords stores passwords in clear, which only a test may do.
type passwords map[staff.CredentialID]string

func (p passwords) Keep(_ context.Context, _ string, _ staff.ID, password string) (staff.PasswordSet, error) {
	id := staff.CredentialID{UUID: event.NewID()}
	p[id] = password
	return staff.PasswordSet{Credential: id}, nil
}

func (p passwords) Discard(_ context.Context, _ string, _ staff.ID, but staff.CredentialID) error {
	for id := range p {
		if id != but {
			delete(p, id)
		}
	}
	return nil
}

const oldPassword, newPassword = "coffee tin fish", "walnut soup boat"

func registerDrLee(t *testing.T, store *commandtest.Store, kept passwords) {
	t.Helper()
	must(t, commands.Desk{Store: store}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: elm, Name: elm}))
	_, err := commands.Desk{Store: store, Passwords: kept}.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Password: oldPassword,
	})
	must(t, err)
}

func TestLogHoldsNoPassword_D27(t *testing.T) {
	t.Parallel()
	store, kept := commandtest.NewStore(), passwords{}
	registerDrLee(t, store, kept)
	handler := commands.Desk{Store: store, Staff: store, Passwords: kept, Now: commandtest.NewClock(commandtest.Noon).Now}
	_, err := handler.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: newPassword})
	must(t, err)

	var last staff.PasswordSet
	for _, e := range store.Log() {
		stored, err := json.Marshal(e)
		must(t, err)
		if bytes.Contains(stored, []byte(oldPassword)) || bytes.Contains(stored, []byte(newPassword)) {
			t.Errorf("%s holds a password: %s", e.EventName(), stored)
		}
		if set, ok := e.Event.(staff.PasswordSet); ok {
			last = set
		}
	}
	if len(kept) != 1 || kept[last.Credential] != newPassword {
		t.Errorf("kept %v, want only the password that the log names last, %s", kept, last.Credential)
	}
}

func TestResettingAPasswordEndsAuthorisations_D27(t *testing.T) {
	t.Parallel()
	s, kept := newStory(t), passwords{}
	now := commandtest.Noon
	desk := commands.Desk{Store: s, Staff: s, Passwords: kept, Now: func() time.Time { return now }, AuthorisationLifetime: time.Hour}
	for _, username := range []string{"dr.lee", "dr.may"} {
		s.member(t, elm, username)
	}
	first, second, scoped := s.application(t, "First", false), s.application(t, "Second", false), s.application(t, "Scoped", true)
	archer := s.patient(t, elm)
	grant := func(app application.ID, username string) {
		t.Helper()
		_, err := desk.GrantUserAuthorisation(t.Context(), commands.GrantUserAuthorisation{Tenant: elm, Application: app, Username: username})
		must(t, err)
	}
	grant(second, "dr.lee")
	now = now.Add(time.Hour) // it has expired
	grant(first, "dr.lee")
	grant(first, "dr.may")
	_, err := desk.GrantPatientScopedAuthorisation(t.Context(), commands.GrantPatientScopedAuthorisation{
		Tenant: elm, Application: scoped, Username: "dr.lee", Patient: archer,
	})
	must(t, err)
	reset := func(keep bool) []authorisation.Subject {
		t.Helper()
		ended, err := desk.SetPassword(t.Context(), commands.SetPassword{
			Tenant: elm, Username: "dr.lee", Password: newPassword, KeepAuthorisations: keep,
		})
		must(t, err)
		return ended
	}
	if ended := reset(true); len(ended) != 0 {
		t.Errorf("they were to be kept: %v have ended", ended)
	}
	before := len(s.Log())
	ended := reset(false)
	lee, err := s.StaffByUsername(t.Context(), elm, "dr.lee")
	must(t, err)
	want := []authorisation.Subject{{Staff: lee, Application: first}, {Staff: lee, Application: scoped, Patient: archer}}
	if !slices.Equal(ended, want) {
		t.Errorf("ended %v, want %v", ended, want)
	}
	for i, e := range s.Log()[before+1:] { // the first sets the password
		if revoked, ok := e.Event.(authorisation.Revoked); !ok || revoked.Subject != want[i] || revoked.Reason != authorisation.PasswordReset {
			t.Errorf("the log has %#v", e.Event)
		}
	}
	if again := reset(false); len(again) != 0 {
		t.Errorf("%v have ended twice", again)
	}
}

func TestInvalidPasswordIsNotStored(t *testing.T) {
	t.Parallel()
	store, kept := commandtest.NewStore(), passwords{}
	registerDrLee(t, store, kept)
	before := len(store.Log())
	set := commands.Desk{Store: store, Staff: store, Passwords: kept}
	register := commands.Desk{Store: store, Passwords: kept}

	_, err := set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "nobody", Password: newPassword})
	if !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("got %v, want %v", err, staff.ErrUnknown)
	}
	_, err = set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: "short"})
	if !errors.Is(err, staff.ErrPasswordShort) {
		t.Errorf("got %v, want %v", err, staff.ErrPasswordShort)
	}
	// The names in the log are hidden from decisions.
	_, err = set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: "dr.lee12345"})
	if !errors.Is(err, staff.ErrPasswordGuessed) {
		t.Errorf("got %v, want %v", err, staff.ErrPasswordGuessed)
	}
	_, err = register.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "dr.may", Name: "Dr May", Email: "may@elm.example", Password: "short",
	})
	if !errors.Is(err, staff.ErrPasswordShort) {
		t.Errorf("got %v, want %v", err, staff.ErrPasswordShort)
	}
	if after := len(store.Log()); after != before || len(kept) != 1 {
		t.Errorf("%d events and %d passwords, want %d and 1", after, len(kept), before)
	}
}
