package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

func TestAppointmentEventTopics_D86(t *testing.T) {
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
		got := messages(event.Recorded{Idx: 7, Stream: event.Stream{ID: of.Appointment.UUID}, Event: c.happened})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.happened.EventName(), diff)
		}
	}
}

// The names of changes never change: pages select by them.
func TestMessageOfEachRow(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range rows {
		for _, m := range messages(event.Recorded{Event: r.event, Idx: 1}) {
			got = append(got, string(m.Topic.Kind)+" "+m.What)
		}
	}
	want := strings.Split("inbox submitted, inbox entered-in-error, inbox taken, inbox given, inbox given-to-team, inbox put-off, inbox urgency-changed, inbox noted, inbox completed, "+
		"inbox reopened, inbox re-linked, inbox opened, day booked, day moved, day planned, day cancelled, day arrived, day arrival-cleared, day called-in, board called-in, "+
		"day call-in-removed, board call-in-removed, day did-not-attend, day did-not-attend-cleared, day attended, board display-removed", ", ")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
