package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// passwords keeps passwords as they are, which only a test may do.
type passwords map[staff.CredentialID]string

func (p passwords) Keep(_ context.Context, _ string, _ staff.ID, password string) (staff.CredentialID, error) {
	id := staff.CredentialID{UUID: event.NewID()}
	p[id] = password
	return id, nil
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

func TestTheLogSaysThatAPasswordWasSetAndNeverWhat_D27(t *testing.T) {
	t.Parallel()
	store, kept := commandtest.NewStore(), passwords{}
	registerDrLee(t, store, kept)
	handler := commands.Desk{Store: store, Staff: store, Passwords: kept}
	must(t, handler.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: newPassword}))

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

func TestAPasswordThatIsUnfitOrNobodysIsNotKept(t *testing.T) {
	t.Parallel()
	store, kept := commandtest.NewStore(), passwords{}
	registerDrLee(t, store, kept)
	before := len(store.Log())
	set := commands.Desk{Store: store, Staff: store, Passwords: kept}
	register := commands.Desk{Store: store, Passwords: kept}

	err := set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "nobody", Password: newPassword})
	if !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("got %v, want %v", err, staff.ErrUnknown)
	}
	err = set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: "short"})
	if !errors.Is(err, staff.ErrPasswordShort) {
		t.Errorf("got %v, want %v", err, staff.ErrPasswordShort)
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
