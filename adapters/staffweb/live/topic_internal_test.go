package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

func TestEachEventOfAnAppointmentIsToldWhereItIsShown_D86(t *testing.T) {
	t.Parallel()
	here, there := site.ID{UUID: uuid.New()}, site.ID{UUID: uuid.New()}
	of := appointment.Subject{Appointment: appointment.ID{UUID: uuid.New()}, Patient: patient.ID{UUID: uuid.New()}, Site: here}
	at := func(where site.ID, what string) Message {
		return Message{7, Topic{Day, where}, what, of.Appointment.UUID}
	}
	for _, c := range []struct {
		happened event.Event
		want     []Message
	}{
		{appointment.Arrived{Subject: of}, []Message{at(here, "arrived")}},
		{appointment.Cancelled{Subject: of}, []Message{at(here, "cancelled")}},
		{appointment.Moved{Subject: of}, []Message{at(here, "moved")}},
		{appointment.Moved{Subject: of, From: there}, []Message{at(here, "moved"), at(there, "moved")}},
	} {
		got := tells[c.happened.EventName()](event.Recorded{Idx: 7, Event: c.happened})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.happened.EventName(), diff)
		}
	}
	for _, e := range appointment.Events() {
		if tells[e.EventName()] == nil {
			t.Errorf("nobody is told of %s", e.EventName())
		}
	}
}
