package staffweb_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// meanwhile is a store to which somebody else appends first: after a page has looked, and
// before what was decided there is in the log.
type meanwhile struct {
	commands.Store
	once sync.Once
	done func()
}

func (m *meanwhile) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	m.once.Do(m.done)
	return m.Store.Append(ctx, changes...)
}

// faster has a colleague act between the look and the append of the page's next act.
func (s *service) faster(t *testing.T, act func(commands.Desk) error) {
	t.Helper()
	desk := s.pages.Desk
	desk.Store = s.store
	s.pages.Desk.Store = &meanwhile{Store: s.store, done: func() {
		if err := act(desk); err != nil {
			t.Error(err)
		}
	}}
}

// Whoever is slower by a millisecond is told so, as whoever is slower by a minute is.
func TestOfTwoWhoActOnAnAppointmentAtOnceOneIsToldWhoWasFaster_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	page := b.get(c.at(c.visit))
	c.faster(t, func(desk commands.Desk) error {
		return desk.MarkArrived(t.Context(), commands.MarkArrived{Tenant: elm, Appointment: c.visit})
	})
	c.sends(b, page, "absent").wants(t, http.StatusConflict, "", "marked the patient as arrived")
	if is := c.is(t); is.ArrivedAt == nil || is.Status != projections.StatusBooked {
		t.Errorf("a patient who waits is %+v", is)
	}

	page = b.get(c.at(c.visit))
	c.faster(t, func(desk commands.Desk) error {
		return desk.CallInPatient(t.Context(), commands.CallInPatient{Tenant: elm, Appointment: c.visit, Room: c.room})
	})
	c.sends(b, page, "call-in", "room", "").wants(t, http.StatusConflict, "", "called the patient in to Room 1")
	if is := c.is(t); is.Room != c.room {
		t.Errorf("they are called in to %v", is.Room)
	}
}
