package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
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
}

// Whatever happens to a request or an appointment is told of, but that somebody has read it.
func TestPagesAreToldOfWhateverHappens_D87(t *testing.T) {
	t.Parallel()
	silent := map[string]bool{request.Opened{}.EventName(): true, request.AttachmentOpened{}.EventName(): true}
	for _, e := range append(request.Events(), appointment.Events()...) {
		tell, told := tells[e.EventName()]
		if told == silent[e.EventName()] {
			t.Errorf("%s: told of: %v", e.EventName(), told)
		}
		if told && tell(event.Recorded{Event: e, Idx: 1})[0].What == "" {
			t.Errorf("%s: nothing is told", e.EventName())
		}
	}
}
