package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// One manager invites two privacy officers, opens both links, asks as one of them and
// confirms as the other.
func TestOneManagerCannotErase_D135(t *testing.T) {
	t.Parallel()
	f := newForgetting(t)
	manager := event.Staff(event.NewID())
	as := func(actor event.Actor) context.Context {
		return event.WithMetadata(t.Context(), event.Metadata{Actor: actor})
	}
	var officers [2]event.Actor
	for n := range officers {
		id := staff.ID{UUID: event.NewID()}
		officers[n] = event.Staff(id.UUID)
		opened := event.Change{Stream: staff.StreamOf(elm, id), Events: []event.Event{
			staff.Registered{Username: id.String(), Name: "x"}, staff.RolesSet{Roles: staff.Roles{staff.PrivacyOfficer}}, staff.Invited{},
		}}
		if _, err := f.store.Append(as(manager), opened); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.Pass(48 * time.Hour)
	asked, err := f.ErasePatient(as(officers[0]), commands.ErasePatient{Tenant: elm, Patient: f.ann, Basis: erasure.CourtOrder, Reason: "an order"})
	if err != nil {
		t.Fatal(err)
	}
	f.clock.Pass(24 * time.Hour)
	confirm := commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}
	if err := f.ConfirmErasure(as(officers[1]), confirm); !errors.Is(err, staff.ErrOneOpener) {
		t.Errorf("confirmed by the other officer: %v", err)
	}
	if err := f.ConfirmErasure(as(manager), confirm); !errors.Is(err, staff.ErrOpenedByOther) {
		t.Errorf("confirmed by the manager: %v", err)
	}
	if err := f.confirm(t, "bob", asked); err != nil {
		t.Errorf("confirmed by an operator: %v", err)
	}
}
